"""Rechecking what the fitted robust classifiers state, without their solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchkit import ModelCheck
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.solvers.dual_bound import lower_bound
from benchkit_feature_noise.worst_case.linear_form import signs
from benchkit_feature_noise.worst_case.threat import check_values

_ROUNDING = 1e-9
_STORED = 1e-6  # float32 multipliers


def verify(model: RobustLinearProgram | FeatureDroppingSVM, X: Any, y: np.ndarray) -> list[ModelCheck]:
    """Recompute box, objective and, where multipliers were kept, the lower bound and the gap.

    Parameters
    ----------
    model : RobustLinearProgram or FeatureDroppingSVM
        Fitted.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        What it was fitted on.
    y : ndarray of shape (n_samples,)
    """
    X = sparse.csr_matrix(X) if sparse.issparse(X) else np.asarray(X, dtype=float)
    label, values = signs(model, y), check_values(model.feature_values, X.shape[1], model.features(X))
    checks = []
    if isinstance(model, RobustLinearProgram):
        largest = float(np.abs(model.coef_).max())
        checks.append(
            ModelCheck("largest weight within the box", model.C, largest, largest <= model.C * (1 + _ROUNDING))
        )
    objective = model.closed_form(X, label, values)
    program = model.program(X, label, values)
    # Not beside 1: the units of X, C and the margin decide how large an objective is.
    size = program.gap_unit(objective)
    checks.append(
        ModelCheck("objective", model.objective_, objective, abs(objective - model.objective_) <= _ROUNDING * size)
    )
    if hasattr(model, "multipliers_"):
        bound = lower_bound(program, model.multipliers_)
        holds = abs(bound - model.dual_objective_) <= _STORED * size and bound <= objective + _ROUNDING * size
        checks.append(ModelCheck("lower bound by the multipliers", model.dual_objective_, bound, holds))
    return checks
