"""Compiling the methods that are compiled on first use, before anything is timed."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.estimators.tgrs import StochasticFeatureDropping

X, y = np.array([[1.0, 0.5], [-1.0, 0.2], [0.5, 1.0], [-0.5, -1.0]]), np.array([1, -1, 1, -1])


def compile_kernels() -> None:
    """Solve two tiny programs."""
    RobustLinearProgram(noise_budget=1.0, tol=1e-2).fit(X, y)
    FeatureDroppingSVM(n_deleted=1.0, tol=1e-2).fit(X, y)


def compile_perceptron() -> None:
    """Train on few rows, dense and sparse."""
    for rows in (X, sparse.csr_matrix(X)):
        OnlineToBatchPerceptron(noise_budget=1.0).fit(rows, y)


def compile_frank_wolfe() -> None:
    """Train on a tiny problem."""
    StochasticFeatureDropping(n_deleted=1.0, tol=0.1).fit(X, y)
