"""The arms race of Dekel, Shamir & Xiao 2010, section 5: features fail one after another and stay dead."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from benchkit import Attack, Corruption
from benchkit_feature_noise.deletion import delete
from benchkit_feature_noise.linear_form import linear_form, signs


class FailingFeatures:
    """Kills features of all rows at once, one after another; the budget is how many are dead.

    Parameters
    ----------
    order : {"worst", "random"}, default="worst"
        ``worst`` kills next what causes the most errors, and among equals what takes most from the mean margin: an
        adversary who adapts, step by step, to what is left. ``random`` kills in a random order.
    """

    def __init__(self, order: Literal["worst", "random"] = "worst") -> None:
        if order not in ("worst", "random"):
            raise ValueError(f"order is {order!r}, expected 'worst' or 'random'")
        self.order = order

    def corrupt(self, attack: Attack) -> Corruption:
        """Kill ``attack.budget`` features; the truth ``dead_features`` has them in the order of their deaths."""
        dead = self._order(attack)[: int(attack.budget)]
        going = np.zeros(attack.X.shape[1], dtype=bool)
        going[dead] = True
        corrupted = delete(attack.X, lambda rows, dense: np.broadcast_to(going, dense.shape))
        return Corruption(X=corrupted, y=attack.y, truth={"dead_features": dead})

    def _order(self, attack: Attack) -> np.ndarray:
        n_features = attack.X.shape[1]
        if self.order == "random":
            return attack.rng.permutation(n_features)
        coef, intercept = linear_form(attack.model)
        y = signs(attack.model, attack.y)
        X = attack.X.toarray() if sparse.issparse(attack.X) else np.asarray(attack.X)
        return worst_order(y[:, None] * X * coef, y * intercept, int(attack.budget))


def worst_order(contributions: np.ndarray, base: np.ndarray, n_dead: int) -> np.ndarray:
    """Features in the order in which a greedy adversary kills them.

    Parameters
    ----------
    contributions : ndarray of shape (n_rows, n_features)
        y w_j x_j, what each feature adds to each row's margin.
    base : ndarray of shape (n_rows,)
        The margins without any feature, y b.
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
