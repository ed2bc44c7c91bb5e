"""The corrupting adversaries of Dekel, Shamir & Xiao 2010, section 4: they replace features by noise."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from benchkit import AttackContext, AttackResult, check_choice
from benchkit_deletion.adversaries.asking import QueryDelete
from benchkit_deletion.adversaries.linear import worst_by_weights
from benchkit_deletion.threat import greedy_deletion, replace


class GreedyCorrupt:
    """Chooses features as greedy-delete does and replaces them by noise.

    The noise of an entry does not depend on the budget: a larger one replaces more entries, the others as before.

    Parameters
    ----------
    noise : {"gaussian", "bounded"}, default="gaussian"
        Normal with the feature's own mean and variance over the rows to be corrupted (section 4), or uniform on
        [-1, 1], as Theorem 3 assumes of features in [-1, 1].
    """

    def __init__(self, noise: Literal["gaussian", "bounded"] = "gaussian") -> None:
        check_choice(("gaussian", "bounded"), noise=noise)
        self.noise = noise

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Replace features of total value at most ``attack.budget`` in each row."""
        choose = worst_by_weights(attack, np.zeros(attack.X.shape[1]), greedy_deletion)
        mean, deviation = moments(attack.X)

        def draw(rows: slice, dense: np.ndarray) -> np.ndarray:
            if self.noise == "bounded":
                return attack.rng.uniform(-1.0, 1.0, dense.shape)
            return mean + deviation * attack.rng.standard_normal(dense.shape)

        return AttackResult(X=replace(attack.X, attack.features, choose, draw), y=attack.y)


class QueryCorrupt:
    """Chooses features as query-delete does and replaces them by noise.

    The noise is normal with the feature's own mean and variance over the rows to be corrupted (Dekel, Shamir & Xiao
    2010, section 4), and that of an entry does not depend on the budget or the model.

    Parameters
    ----------
    candidates : int or None, default=None
    beam : int, default=8
        As for `QueryDelete`, which here goes on after a row is fooled: noise may be kinder than a zero.
    """

    def __init__(self, candidates: int | None = None, beam: int = 8) -> None:
        QueryDelete(candidates, beam)  # which checks them
        self.candidates, self.beam = candidates, beam

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Replace features of total value at most ``attack.budget`` in each row."""
        chooser = QueryDelete(self.candidates, self.beam, stop_when_fooled=False)
        choose, score = chooser.choice(attack)
        mean, deviation = moments(attack.X)

        def draw(rows: slice, dense: np.ndarray) -> np.ndarray:
            return mean + deviation * attack.rng.standard_normal(dense.shape)

        corrupted = replace(attack.X, attack.features, choose, draw)
        return AttackResult(X=corrupted, y=attack.y, truth={"queries": score.queries})


def moments(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column's known values, shape (n_features,); 0 where there are none."""
    if sparse.issparse(X):
        mean, variance = mean_variance_axis(X, axis=0)
        return mean, np.sqrt(variance)
    known = ~np.isnan(X)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, X, 0.0).sum(axis=0) / count
    return mean, np.sqrt((np.where(known, X - mean, 0.0) ** 2).sum(axis=0) / count)
