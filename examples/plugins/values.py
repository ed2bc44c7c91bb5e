"""Feature values: what each column costs the adversary, from the training part."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchkit import FeatureValues, Features, hookimpl


def distinct_values(X: Any, y: Any, features: Features) -> Any:
    """Columns of many different values cost more, by the logarithm of their number: one per feature on average.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
        The preprocessed training part; NaN where values are missing.
    y : ndarray of shape (n_samples,)
    features : Features

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    counts = [len(np.unique(column[~np.isnan(column)])) for column in np.asarray(X, dtype=float).T]
    costs = 1 + np.log2(np.maximum(counts, 1))
    return costs * features.n_features / costs.sum()


@hookimpl
def benchkit_feature_values() -> list[FeatureValues]:
    """Declare the values."""
    return [
        FeatureValues(
            name="distinct-values",
            compute=distinct_values,
            summary="Columns of many different values cost the adversary more",
        )
    ]
