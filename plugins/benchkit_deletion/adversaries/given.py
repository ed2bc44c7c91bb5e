"""Adversaries that look at no model: random features, and named ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult, check_choice
from benchkit_deletion.threat import Fill, check_fill, column_of, delete


class RandomDelete:
    """Deletes so many features of each row, drawn uniformly; a larger budget deletes what a smaller one does, and more.

    Globerson & Roweis 2006, section 4; Dekel & Shamir 2008, Fig. 1.

    Parameters
    ----------
    among : {"all", "nonzero"}, default="all"
        All features, or those that are not zero before preprocessing (all of these where fewer than the budget).
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, among: Literal["all", "nonzero"] = "all", fill: Fill = "zero") -> None:
        check_choice(("all", "nonzero"), among=among)
        self.among, self.fill = among, check_fill(fill)

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


class NamedDelete:
    """Deletes the first ``budget`` of the given features: Dekel, Shamir & Xiao 2010, 4.1; Globerson & Roweis 2006, 4.1.

    Parameters
    ----------
    features : sequence of str or int
        Names of columns or of groups, or column numbers from 0, in the order in which they go; one column of a group
        takes the others along.
    probability : float, default=1
        With which each of them goes in each row, independently.
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, features: Sequence[str | int], probability: float = 1.0, fill: Fill = "zero") -> None:
        if isinstance(features, str) or not features:
            raise ValueError(f"features is {features!r}, expected a list of names or column numbers")
        if not 0 <= probability <= 1:
            raise ValueError(f"probability is {probability}, expected 0 to 1")
        self.features, self.probability, self.fill = list(features), probability, check_fill(fill)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete the first ``attack.budget`` named features."""
        count = int(attack.budget)
        if count > len(self.features):
            raise ValueError(f"budget {count} exceeds the {len(self.features)} named features")
        features = attack.features
        named = [int(features.of_column[column_of(feature, attack)]) for feature in self.features]
        if len(set(named)) < len(named):
            raise ValueError(f"features names one feature twice: {', '.join(map(str, self.features))}")
        n_rows = attack.X.shape[0]
        going = np.zeros((n_rows, features.n_features), dtype=bool)
        going[:, named] = attack.rng.random((n_rows, len(named))) < self.probability
        going[:, named[count:]] = False
        left = attack.left_by(self.fill)
        return AttackResult(X=delete(attack.X, features, lambda rows, dense: going[rows], left), y=attack.y)
