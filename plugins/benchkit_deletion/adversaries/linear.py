"""Adversaries that know the weights of a linear model: greedy, exact, and features that fail for all rows alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult, Features, NotApplicableError
from benchkit_deletion.threat import WORK_LIMIT, Fill, check_fill, delete, exact_deletion, greedy_deletion


class GreedyDelete:
    """Knows the weights; deletes what helps most per value until the budget is spent.

    Parameters
    ----------
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, fill: Fill = "zero") -> None:
        check_fill(fill)
        self.fill = fill

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row."""
        features, left = attack.features, attack.left_by(self.fill)
        margins = ClassMargins(attack.model, attack.X, attack.y, features, left)
        values = features.sum(attack.feature_values)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return margins.worst_deletion(rows, dense, lambda gains: greedy_deletion(gains, values, attack.budget))

        return AttackResult(X=delete(attack.X, features, choose, left), y=attack.y)


class ExactDelete:
    """Knows the weights; deletes the features of the largest total contribution that the budget allows.

    Parameters
    ----------
    work_limit : int, default=5,000,000
        As for `exact_deletion`, which gives up with a `WorkLimitError` above it.
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, work_limit: int = WORK_LIMIT, fill: Fill = "zero") -> None:
        check_fill(fill)
        if work_limit < 1:
            raise ValueError(f"work_limit is {work_limit}, expected a positive number")
        self.work_limit = work_limit
        self.fill = fill

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row."""
        features, left = attack.features, attack.left_by(self.fill)
        margins = ClassMargins(attack.model, attack.X, attack.y, features, left)
        values = features.sum(attack.feature_values)

        def worst(gains: np.ndarray) -> np.ndarray:
            return exact_deletion(gains, values, attack.budget, self.work_limit)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return margins.worst_deletion(rows, dense, worst)

        return AttackResult(X=delete(attack.X, features, choose, left), y=attack.y)


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
        check_fill(fill)
        if order not in ("worst", "random"):
            raise ValueError(f"order is {order!r}, expected 'worst' or 'random'")
        self.order = order
        self.fill = fill

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

    Parameters
    ----------
    contributions : ndarray of shape (n_rows, n_features)
        y w_j x_j, what each feature adds to each row's margin beyond what deletion leaves of it.
    base : ndarray of shape (n_rows,)
        The margins without any feature, y b where deletion leaves zeros.
    n_dead : int

    Returns
    -------
    ndarray of int, shape (n_dead,)
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


class ClassMargins:
    """Margins (w_y - w_r).x + b_y - b_r of rows of true class y over each rival class r: what deletion attacks.

    A binary linear classifier has one rival per row and the margin y (b + w.x); one with a score per class
    (one against rest, Globerson & Roweis 2006, footnote 1) has the others as rivals.

    Parameters
    ----------
    model : object
        With ``coef_``, ``intercept_`` and ``classes_``.
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        True classes.
    features : Features
        Which columns of X go together.
    left : ndarray of shape (n_columns,)
        What deletion leaves in each column.

    Raises
    ------
    NotApplicableError
        Class scores are not the linear forms that ``coef_`` says, as in a one-against-one SVM; or deletion leaves NaN,
        of which they do not tell.
    """

    def __init__(self, model: Any, X: Any, y: np.ndarray, features: Features, left: np.ndarray) -> None:
        coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.atleast_2d(model.coef_)
        intercept = np.broadcast_to(np.ravel(model.intercept_), len(coef))
        classes = np.asarray(model.classes_)
        if len(coef) == 1 and len(classes) == 2:
            coef, intercept = np.vstack([np.zeros_like(coef), coef]), np.array([0.0, intercept[0]])
        elif len(coef) != len(classes) or not _scores_are(model, X[:8], coef, intercept):
            raise NotApplicableError(f"the scores of {type(model).__name__} are not one linear form per class")
        self._features, self._left = features, without_gaps(model, left, coef)
        self._coef, self._intercept = coef, intercept
        self._own = np.minimum(np.searchsorted(classes, y), len(classes) - 1)

    def worst_deletion(self, rows: slice, dense: np.ndarray, choose: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """What to delete of each row so that its margin over some rival is least.

        Parameters
        ----------
        rows : slice
        dense : ndarray of shape (n_rows, n_columns)
            These rows.
        choose : callable
            Takes the gains of deleting each feature, what it adds to the margin over a rival beyond what deletion
            leaves; returns a mask of their shape.

        Returns
        -------
        ndarray of bool, shape (n_rows, n_features)
        """
        own = self._own[rows]
        dense = np.where(np.isnan(dense), self._left, dense)  # only a model without weights takes gaps
        worst = np.full(len(dense), np.inf)
        deleted = np.zeros((len(dense), self._features.n_features), dtype=bool)
        for step in range(1, len(self._coef)):
            rival = (own + step) % len(self._coef)
            weights = self._coef[own] - self._coef[rival]
            gains = self._features.sum((dense - self._left) * weights)
            chosen = choose(gains)
            least = self._intercept[own] - self._intercept[rival] + weights @ self._left
            margin = least + ((1 - chosen) * gains).sum(axis=1)
            better = margin < worst
            deleted[better], worst[better] = chosen[better], margin[better]
        return deleted


def without_gaps(model: Any, left: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """What deletion leaves, 0 instead of NaN: only a model that gives a column no weight may be left NaN there."""
    gaps = np.isnan(left)
    if (np.atleast_2d(coef)[:, gaps] != 0).any():
        raise NotApplicableError(
            f"{type(model).__name__} takes NaN in a way that its coef_ does not tell: query-delete asks the model"
        )
    return np.where(gaps, 0.0, left)


def _scores_are(model: Any, X: Any, coef: np.ndarray, intercept: np.ndarray) -> bool:
    return bool(np.allclose(model.decision_function(X), X @ coef.T + intercept))


def linear_form(model: Any) -> tuple[np.ndarray, float]:
    """Weights of shape (n_features,) and bias of a binary linear classifier."""
    coef = model.coef_
    coef = coef.toarray() if sparse.issparse(coef) else np.asarray(coef)
    coef = np.atleast_2d(coef)
    if coef.shape[0] != 1:
        raise NotApplicableError(f"{type(model).__name__} has {coef.shape[0]} linear forms; one is needed")
    return coef[0], float(np.ravel(model.intercept_)[0])


def signs(model: Any, y: np.ndarray) -> np.ndarray:
    """Labels as -1 and +1, +1 for the model's second class."""
    return np.where(y == model.classes_[-1], 1.0, -1.0)
