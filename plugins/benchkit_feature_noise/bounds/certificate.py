"""The error of a linear classifier under deletion as a bracket: greedy <= exact <= relaxation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchkit import Features
from benchkit_deletion.threat import (
    WORK_LIMIT,
    Deletion,
    WorkLimitError,
    deletion_and_shortfall,
    dense_blocks,
    greedy_deletion,
    relaxed_deletion,
)


class Bracket(NamedTuple):
    """Shares of rows, greedy <= exact <= relaxation.

    Attributes
    ----------
    greedy : float
        Errors that the papers' greedy adversary causes: a lower bound.
    exact : float or None
        Errors that some deletion within the budget causes; None where the work limit leaves a row undecided.
    relaxation : float
        Errors that deletion in parts causes: an upper bound.
    """

    greedy: float
    exact: float | None
    relaxation: float


def deletion_bracket(
    coef: np.ndarray,
    intercept: float,
    X: Any,
    y: np.ndarray,
    values: np.ndarray,
    budget: float,
    work_limit: int = WORK_LIMIT,
    features: Features | None = None,
) -> Bracket:
    """What deletion within a budget does to a linear classifier, from below, exactly and from above.

    A row is an error where y (b + w.x) <= 0 after deletion. The exact worst case is computed only for rows that greedy
    leaves right and the relaxation makes wrong.

    Parameters
    ----------
    coef : ndarray of shape (n_features,)
    intercept : float
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        Before deletion.
    y : ndarray of shape (n_rows,), -1 or +1
    values : ndarray of shape (n_features,)
    budget : float
        Total value that may be deleted from each row.
    work_limit : int, default=5,000,000
        As for `exact_deletion`.
    features : Features, optional
        Which columns are one feature, that goes whole and costs the sum of their values.
    """
    features = features or Features(len(values))
    values = features.sum(values)
    n_rows = X.shape[0]
    greedy, exact, relaxation = 0, 0, 0
    known = True
    for rows, dense in dense_blocks(X):
        gains = features.sum(y[rows, None] * dense * coef)
        score = y[rows] * intercept + gains.sum(axis=1)
        surely = _wrong(score, gains, values, budget, greedy_deletion)
        # Rounding must not let the upper bound fall below the lower one.
        perhaps = surely | _wrong(score, gains, values, budget, relaxed_deletion)
        greedy += int(surely.sum())
        relaxation += int(perhaps.sum())
        doubt = np.flatnonzero(perhaps & ~surely)
        exact += int(surely.sum())
        if not known or doubt.size == 0:
            continue
        try:
            deleted, shortfall = deletion_and_shortfall(gains[doubt], values, budget, work_limit)
        except WorkLimitError:
            known = False
            continue
        damage = (deleted * gains[doubt]).sum(axis=1)
        wrong = damage >= score[doubt]
        known = not (~wrong & (damage * (1 + shortfall) >= score[doubt])).any()
        exact += int(wrong.sum())
    return Bracket(greedy / n_rows, exact / n_rows if known else None, relaxation / n_rows)


def _wrong(score: np.ndarray, gains: np.ndarray, values: np.ndarray, budget: float, choose: Deletion) -> np.ndarray:
    """Whether each row is an error after a deletion, shape (n_rows,)."""
    wrong: np.ndarray = score - (choose(gains, values, budget) * gains).sum(axis=1) <= 0
    return wrong
