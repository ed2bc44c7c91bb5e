"""Random deletion: Globerson & Roweis 2006, section 4; Dekel & Shamir 2008, Fig. 1."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult
from benchkit_feature_noise.adversaries.deletion import Fill, check_fill, delete


class RandomDelete:
    """Deletes so many features of each row, drawn uniformly; a larger budget deletes what a smaller one does, and more.

    Parameters
    ----------
    among : {"all", "nonzero"}, default="all"
        All features, or those that are not zero before preprocessing (all of these where fewer than the budget).
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, among: Literal["all", "nonzero"] = "all", fill: Fill = "zero") -> None:
        check_fill(fill)
        if among not in ("all", "nonzero"):
            raise ValueError(f"among is {among!r}, expected 'all' or 'nonzero'")
        self.among = among
        self.fill = fill

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete ``attack.budget`` features of each row."""
        features = attack.features

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            keys = attack.rng.random((len(dense), features.n_features))
            if self.among == "nonzero":
                raw = attack.raw[rows]
                present = (raw.toarray() if sparse.issparse(raw) else np.asarray(raw)) != 0
                keys[features.sum(present.astype(int)) == 0] = np.inf
            ranks = keys.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
            return (ranks < attack.budget) & np.isfinite(keys)

        return AttackResult(X=delete(attack.X, features, choose, attack.left_by(self.fill)), y=attack.y)
