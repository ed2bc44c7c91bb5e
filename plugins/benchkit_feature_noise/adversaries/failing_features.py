"""The arms race of Dekel, Shamir & Xiao 2010, section 5: features fail one after another and stay dead."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult, Features
from benchkit_feature_noise.adversaries.class_margins import without_gaps
from benchkit_feature_noise.adversaries.deletion import Fill, check_fill, delete
from benchkit_feature_noise.worst_case.linear_form import linear_form, signs


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
