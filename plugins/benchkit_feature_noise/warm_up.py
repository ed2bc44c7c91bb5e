"""Compiling the structured method and the Perceptron before anything is timed."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit_feature_noise.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.lp import RobustLinearProgram
from benchkit_feature_noise.o2b import OnlineToBatchPerceptron


def compile_kernels() -> None:
    """Fit each on a tiny problem."""
    X, y = np.array([[1.0, 0.5], [-1.0, 0.2], [0.5, 1.0], [-0.5, -1.0]]), np.array([1, -1, 1, -1])
    RobustLinearProgram(noise_budget=1.0, tol=1e-2).fit(X, y)
    # From a certain size on the system is formed in float32.
    many = np.arange(400)
    sparse_rows = sparse.csr_matrix((np.ones(400), (many, many)))
    RobustLinearProgram(noise_budget=1.0, tol=1e-2).fit(sparse_rows, np.where(many % 2, 1, -1))
    FeatureDroppingSVM(n_deleted=1.0, tol=1e-2).fit(X, y)
    OnlineToBatchPerceptron(noise_budget=1.0).fit(X, y)
