"""Adversaries that know the weights of a linear model: greedy, exact, and features that fail for all rows alike."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult, Features, NotApplicableError, check_choice, check_count
from benchkit_deletion.threat import (
    WORK_LIMIT,
    Choice,
    Deletion,
    Fill,
    check_fill,
    delete,
    exact_deletion,
    greedy_deletion,
)


class GreedyDelete:
    """Knows the weights; deletes what helps most per value until the budget is spent.

    Parameters
    ----------
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    deletion: Deletion = staticmethod(greedy_deletion)

    def __init__(self, fill: Fill = "zero") -> None:
        self.fill = check_fill(fill)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row."""
        left = attack.left_by(self.fill)
        choose = worst_by_weights(attack, left, self.deletion)
        return AttackResult(X=delete(attack.X, attack.features, choose, left), y=attack.y)


class ExactDelete(GreedyDelete):
    """Knows the weights; deletes the features of the largest total contribution that the budget allows.

    Parameters
    ----------
    work_limit : int, default=5,000,000
        As for `exact_deletion`, which gives up with a `WorkLimitError` above it.
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, work_limit: int = WORK_LIMIT, fill: Fill = "zero") -> None:
        check_count(work_limit=work_limit)
        super().__init__(fill)
        self.deletion = partial(exact_deletion, work_limit=work_limit)


class FailingFeatures:
    """Kills features of all rows at once, one after another; the budget is how many are dead.

    Parameters
    ----------
    order : {"worst", "random"}, default="worst"
        ``worst`` kills next what causes the most errors, and among equals what takes most from the mean margin: an
        adversary who adapts, step by step, to what is left. ``random`` kills in a random order.
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, order: Literal["worst", "random"] = "worst", fill: Fill = "zero") -> None:
        check_choice(("worst", "random"), order=order)
        self.order, self.fill = order, check_fill(fill)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Kill ``attack.budget`` features; the truth ``dead_features`` has them in the order of their deaths."""
        features, left = attack.features, attack.left_by(self.fill)
        dead = self._order(attack, features, left)[: int(attack.budget)]
        going = np.zeros(features.n_features, dtype=bool)
        going[dead] = True
        choose = lambda rows, dense: np.broadcast_to(going, (len(dense), len(going)))  # noqa: E731
        corrupted = delete(attack.X, features, choose, left)
        return AttackResult(X=corrupted, y=attack.y, truth={"dead_features": dead})

    def _order(self, attack: AttackContext, features: Features, left: np.ndarray) -> np.ndarray:
        if self.order == "random":
            return attack.rng.permutation(features.n_features)
        coef, intercept = linear_form(attack.model)
        y = signs(attack.model, attack.y)
        left = without_gaps(attack.model, left, coef)
        X = attack.X.toarray() if sparse.issparse(attack.X) else np.asarray(attack.X)
        X = np.where(np.isnan(X), left, X)
        contributions = features.sum(y[:, None] * (X - left) * coef)
        return worst_order(contributions, y * (intercept + coef @ left), int(attack.budget))


def worst_order(contributions: np.ndarray, base: np.ndarray, n_dead: int) -> np.ndarray:
    """Features in the order in which a greedy adversary kills them.

    ``contributions`` (n_rows, n_features) are y w_j x_j, what each feature adds to each row's margin beyond what
    deletion leaves of it; ``base`` (n_rows,) the margins without any feature, y b where deletion leaves zeros.
    """
    margins = base + contributions.sum(axis=1)
    means = contributions.mean(axis=0)
    alive = np.ones(contributions.shape[1], dtype=bool)
    order = []
    for _ in range(n_dead):
        candidates = np.flatnonzero(alive)
        errors = (margins[:, None] <= contributions[:, candidates]).sum(axis=0)
        best = candidates[np.lexsort((-means[candidates], -errors))[0]]
        alive[best] = False
        margins = margins - contributions[:, best]
        order.append(best)
    return np.array(order, dtype=int)


def worst_by_weights(attack: AttackContext, left: np.ndarray, deletion: Deletion) -> Choice:
    """What to delete of each row so that its margin (w_y - w_r).x + b_y - b_r over some rival class r is least.

    A binary linear classifier has one rival per row and the margin y (b + w.x); one with a score per class
    (one against rest, Globerson & Roweis 2006, footnote 1) has the others as rivals.

    The gain of a feature is what it adds to the margin over a rival beyond what deletion leaves. Raises
    NotApplicableError where class scores are not the linear forms that ``coef_`` says, as in a one-against-one SVM; or
    where deletion leaves NaN, of which they do not tell.
    """
    model, features = attack.model, attack.features
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.atleast_2d(model.coef_)
    intercept = np.broadcast_to(np.ravel(model.intercept_), len(coef))
    classes = np.asarray(model.classes_)
    if len(coef) == 1 and len(classes) == 2:
        coef, intercept = np.vstack([np.zeros_like(coef), coef]), np.array([0.0, intercept[0]])
    elif len(coef) != len(classes) or not np.allclose(
        model.decision_function(attack.X[:8]), attack.X[:8] @ coef.T + intercept
    ):
        raise NotApplicableError(f"the scores of {type(model).__name__} are not one linear form per class")
    left = without_gaps(model, left, coef)
    classes_of_rows = np.minimum(np.searchsorted(classes, attack.y), len(classes) - 1)
    values = features.sum(attack.feature_values)

    def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
        own = classes_of_rows[rows]
        dense = np.where(np.isnan(dense), left, dense)  # only a model without weights takes gaps
        worst = np.full(len(dense), np.inf)
        deleted = np.zeros((len(dense), features.n_features), dtype=bool)
        for step in range(1, len(coef)):
            rival = (own + step) % len(coef)
            weights = coef[own] - coef[rival]
            gains = features.sum((dense - left) * weights)
            chosen = deletion(gains, values, attack.budget)
            margin = intercept[own] - intercept[rival] + weights @ left + ((1 - chosen) * gains).sum(axis=1)
            better = margin < worst
            deleted[better], worst[better] = chosen[better], margin[better]
        return deleted

    return choose


def without_gaps(model: Any, left: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """What deletion leaves, 0 instead of NaN: only a model that gives a column no weight may be left NaN there."""
    gaps = np.isnan(left)
    if (np.atleast_2d(coef)[:, gaps] != 0).any():
        raise NotApplicableError(
            f"{type(model).__name__} takes NaN in a way that its coef_ does not tell: query-delete asks the model"
        )
    return np.where(gaps, 0.0, left)


def linear_form(model: Any) -> tuple[np.ndarray, float]:
    """Weights of shape (n_features,) and bias of a binary linear classifier."""
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.atleast_2d(model.coef_)
    if coef.shape[0] != 1:
        raise NotApplicableError(f"{type(model).__name__} has {coef.shape[0]} linear forms; one is needed")
    return coef[0], float(np.ravel(model.intercept_)[0])


def signs(model: Any, y: np.ndarray) -> np.ndarray:
    """Labels as -1 and +1, +1 for the model's second class."""
    return np.where(y == model.classes_[-1], 1.0, -1.0)
