"""What varies more costs more to lose."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchkit import Features


def spread(X: Any, y: Any, features: Features) -> Any:
    """The standard deviation of each column, scaled so that the values of all sum to the number of features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
    y : ndarray of shape (n_samples,)
    features : Features

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    deviations = np.nanstd(X, axis=0)
    return deviations * features.n_features / deviations.sum()
