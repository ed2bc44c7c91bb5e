"""Deletion of given features: Dekel, Shamir & Xiao 2010, 4.1, and Globerson & Roweis 2006, 4.1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit import Attack, Corruption
from benchkit_feature_noise.deletion import delete


class NamedDelete:
    """Deletes the first ``budget`` of the given features.

    Parameters
    ----------
    features : sequence of str or int
        Names, or column numbers from 0, in the order in which they go.
    probability : float, default=1
        With which each of them goes in each row, independently.
    """

    def __init__(self, features: Sequence[str | int], probability: float = 1.0) -> None:
        if isinstance(features, str) or not features:
            raise ValueError(f"features is {features!r}, expected a list of names or column numbers")
        if not 0 <= probability <= 1:
            raise ValueError(f"probability is {probability}, expected 0 to 1")
        self.features = list(features)
        self.probability = probability

    def corrupt(self, attack: Attack) -> Corruption:
        """Delete the first ``attack.budget`` named features."""
        count = int(attack.budget)
        if count > len(self.features):
            raise ValueError(f"budget {count} exceeds the {len(self.features)} named features")
        n_rows, n_features = attack.X.shape
        columns = [self._column(feature, attack.feature_names, n_features) for feature in self.features]
        going = np.zeros((n_rows, n_features), dtype=bool)
        going[:, columns] = attack.rng.random((n_rows, len(columns))) < self.probability
        going[:, columns[count:]] = False
        return Corruption(X=delete(attack.X, lambda rows, dense: going[rows]), y=attack.y)

    @staticmethod
    def _column(feature: str | int, names: Sequence[str], n_features: int) -> int:
        if isinstance(feature, str):
            if feature not in names:
                raise ValueError(f"no feature is named {feature!r}; the features are {', '.join(names) or 'unnamed'}")
            return list(names).index(feature)
        if not 0 <= feature < n_features:
            raise ValueError(f"no feature {feature}: columns are 0 to {n_features - 1}")
        return feature
