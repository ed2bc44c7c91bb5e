"""Faults of the rows that a model learns from: wrong labels, and rows that are far from all others."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchkit import AttackContext, AttackResult, NotApplicableError, check_positive
from benchkit_faults.struck import measured, rows_as_loaded


class LabelNoise:
    """Gives a fraction of the training rows another class.

    Parameters
    ----------
    kind : {"uniform", "class", "boundary"}, default="uniform"
        ``uniform``: rows drawn from all of them, and one of the other classes drawn for each. ``class``: rows of one
        class alone, which all get the class after it, until one row is left of it. ``boundary``: first the rows that a
        logistic regression on the clean training part finds hardest to tell, which get the class that it confuses them
        with: what people who label get wrong.
    label : str, int or None, default=None
        The class of ``class``; None for the last in order (+1 of -1 and +1).
    """

    def __init__(self, kind: Literal["uniform", "class", "boundary"] = "uniform", label: Any = None) -> None:
        if kind not in ("uniform", "class", "boundary"):
            raise ValueError(f"kind is {kind!r}, expected 'uniform', 'class' or 'boundary'")
        if label is not None and kind != "class":
            raise ValueError(f"label goes with kind: class, not with {kind}")
        self.kind, self.label = kind, label

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Change ``attack.budget`` of the labels; truth ``clean_rows`` of shape (n_samples,)."""
        classes, codes = np.unique(attack.y, return_inverse=True)
        if len(classes) < 2:
            raise NotApplicableError("a wrong label needs another class")
        drawn = attack.rng.permutation(len(codes))
        shift = attack.rng.integers(1, len(classes), len(codes))
        if self.kind == "uniform":
            order, wrong = drawn, (codes + shift) % len(classes)
        elif self.kind == "class":
            own = self._code(classes)
            order, wrong = drawn[codes[drawn] == own][:-1], (codes + 1) % len(classes)
        else:
            order, wrong = _nearest_first(attack.X, codes, len(classes))
        corrupted = corrupted_rows(order, attack.budget, len(codes))
        y = np.where(corrupted, classes[wrong], attack.y)
        return AttackResult(X=attack.X, y=y, truth={"clean_rows": ~corrupted})

    def _code(self, classes: np.ndarray) -> int:
        if self.label is None:
            return len(classes) - 1
        found = np.flatnonzero(classes == self.label)
        if len(found) == 0:
            raise ValueError(f"no class is {self.label!r}; the classes are {', '.join(map(str, classes[:20]))}")
        return int(found[0])


def _nearest_first(X: Any, codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows in the order in which their true class is least ahead of the best other one, and these others."""
    if sparse.issparse(X):
        raise NotApplicableError("kind: boundary needs dense data")
    steps = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(), LogisticRegression(max_iter=1000))
    chances = steps.fit(X, codes).predict_proba(X)
    own = chances[np.arange(len(codes)), codes]
    chances[np.arange(len(codes)), codes] = -1.0
    rivals: np.ndarray = chances.argmax(axis=1)
    return np.argsort(own - chances.max(axis=1), kind="stable"), rivals % n_classes


class Outliers:
    """Moves a fraction of the training rows away, in all their numbers; labels and targets stay.

    Points of high leverage: a row keeps its label where it no longer belongs. Gaps stay, categories are left alone.

    Parameters
    ----------
    size : float, default=10
        How far each number moves, in standard deviations of its column in the training part.
    direction : {"random", "one"}, default="random"
        Up or down for each row and column by itself; or for each column alone, so that outliers lie together and do not
        cancel out.
    """

    def __init__(self, size: float = 10.0, direction: Literal["random", "one"] = "random") -> None:
        check_positive(size=size)
        if direction not in ("random", "one"):
            raise ValueError(f"direction is {direction!r}, expected 'random' or 'one'")
        self.size, self.direction = size, direction

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Move ``attack.budget`` of the rows; truth ``clean_rows`` of shape (n_samples,)."""
        raw = rows_as_loaded(attack)
        columns = measured(raw, attack.groups)
        if not columns.any():
            raise NotApplicableError("needs numbers, which the data does not have")
        order = attack.rng.permutation(len(raw))
        signs = attack.rng.choice([-1.0, 1.0], size=raw.shape)
        if self.direction == "one":
            signs = np.broadcast_to(signs[0], raw.shape)
        corrupted = corrupted_rows(order, attack.budget, len(raw))
        moved = raw + self.size * _deviations(raw) * signs
        X = np.where(corrupted[:, None] & columns, moved, raw)
        return AttackResult(X=X, y=attack.y, truth={"clean_rows": ~corrupted})


def _deviations(X: np.ndarray) -> np.ndarray:
    """Standard deviations of columns without their gaps, 0 where all is missing."""
    known = ~np.isnan(X)
    count = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, X, 0.0).sum(axis=0) / count
    deviations: np.ndarray = np.sqrt((np.where(known, X - means, 0.0) ** 2).sum(axis=0) / count)
    return deviations


def corrupted_rows(order: np.ndarray, budget: float, n_rows: int) -> np.ndarray:
    """The rows that come first, as many as a fraction of all pays for (rounded), or all that are in the order.

    Parameters
    ----------
    order : ndarray of int, shape (n_candidates,)
        Must not depend on the budget.
    budget : float
        Fraction of the rows, 0 to 1.
    n_rows : int

    Returns
    -------
    ndarray of bool, shape (n_rows,)
    """
    corrupted = np.zeros(n_rows, dtype=bool)
    corrupted[order[: round(budget * n_rows)]] = True
    return corrupted
