"""Compiling the stochastic method before anything is timed."""

from __future__ import annotations

import numpy as np

from benchkit_feature_noise.tgrs import StochasticFeatureDropping


def compile_frank_wolfe() -> None:
    """Train on a tiny problem."""
    X, y = np.array([[1.0, 0.5], [-1.0, 0.2], [0.5, 1.0], [-0.5, -1.0]]), np.array([1, -1, 1, -1])
    StochasticFeatureDropping(n_deleted=1.0, tol=0.1).fit(X, y)
