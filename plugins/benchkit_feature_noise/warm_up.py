"""Compiling the structured method before anything is timed."""

from __future__ import annotations

import numpy as np

from benchkit_feature_noise.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.lp import RobustLinearProgram


def compile_kernels() -> None:
    """Solve a tiny LP and a tiny FDROP."""
    X, y = np.array([[1.0, 0.5], [-1.0, 0.2], [0.5, 1.0], [-0.5, -1.0]]), np.array([1, -1, 1, -1])
    RobustLinearProgram(noise_budget=1.0, tol=1e-2).fit(X, y)
    FeatureDroppingSVM(n_deleted=1.0, tol=1e-2).fit(X, y)
