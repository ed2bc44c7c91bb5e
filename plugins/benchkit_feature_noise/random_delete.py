"""Random deletion: Globerson & Roweis 2006, section 4; Dekel & Shamir 2008, Fig. 1."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from benchkit import Attack, Corruption
from benchkit_feature_noise.deletion import delete


class RandomDelete:
    """Deletes so many features of each row, drawn uniformly; a larger budget deletes what a smaller one does, and more.

    Parameters
    ----------
    among : {"all", "nonzero"}, default="all"
        All features, or those that are not zero before preprocessing (all of these where fewer than the budget).
    """

    def __init__(self, among: Literal["all", "nonzero"] = "all") -> None:
        if among not in ("all", "nonzero"):
            raise ValueError(f"among is {among!r}, expected 'all' or 'nonzero'")
        self.among = among

    def corrupt(self, attack: Attack) -> Corruption:
        """Delete ``attack.budget`` features of each row."""

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            keys = attack.rng.random(dense.shape)
            if self.among == "nonzero":
                raw = attack.raw[rows]
                keys[(raw.toarray() if sparse.issparse(raw) else np.asarray(raw)) == 0] = np.inf
            ranks = keys.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
            return (ranks < attack.budget) & np.isfinite(keys)

        return Corruption(X=delete(attack.X, choose), y=attack.y)
