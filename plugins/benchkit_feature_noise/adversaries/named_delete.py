"""Deletion of given features: Dekel, Shamir & Xiao 2010, 4.1, and Globerson & Roweis 2006, 4.1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_feature_noise.adversaries.deletion import Fill, check_fill, delete


class NamedDelete:
    """Deletes the first ``budget`` of the given features.

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
        check_fill(fill)
        if isinstance(features, str) or not features:
            raise ValueError(f"features is {features!r}, expected a list of names or column numbers")
        if not 0 <= probability <= 1:
            raise ValueError(f"probability is {probability}, expected 0 to 1")
        self.features = list(features)
        self.probability = probability
        self.fill = fill

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete the first ``attack.budget`` named features."""
        count = int(attack.budget)
        if count > len(self.features):
            raise ValueError(f"budget {count} exceeds the {len(self.features)} named features")
        n_rows, n_columns = attack.X.shape
        features = attack.features
        named = [int(features.of_column[self._column(feature, attack, n_columns)]) for feature in self.features]
        if len(set(named)) < len(named):
            raise ValueError(f"features names one feature twice: {', '.join(map(str, self.features))}")
        going = np.zeros((n_rows, features.n_features), dtype=bool)
        going[:, named] = attack.rng.random((n_rows, len(named))) < self.probability
        going[:, named[count:]] = False
        left = attack.left_by(self.fill)
        return AttackResult(X=delete(attack.X, features, lambda rows, dense: going[rows], left), y=attack.y)

    @staticmethod
    def _column(feature: str | int, attack: AttackContext, n_columns: int) -> int:
        names = attack.feature_names
        if isinstance(feature, str):
            if feature in attack.group_names:
                return int(attack.groups[list(attack.group_names).index(feature)][0])
            if feature not in names:
                raise ValueError(f"no feature is named {feature!r}; the features are {', '.join(names) or 'unnamed'}")
            return list(names).index(feature)
        if not 0 <= feature < n_columns:
            raise ValueError(f"no feature {feature}: columns are 0 to {n_columns - 1}")
        return feature
