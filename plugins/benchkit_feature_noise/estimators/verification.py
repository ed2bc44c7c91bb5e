"""Rechecking what the fitted robust classifiers state, without their solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchkit import ModelCheck
from benchkit_deletion.adversaries.linear import signs
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.solvers.optimality import balanced, lower_bound, objective

_ROUNDING = 1e-9
_SUMS = 1e-13
_STORED = 1e-6  # float32 multipliers


def verify(model: RobustLinearProgram | FeatureDroppingSVM, X: Any, y: np.ndarray) -> list[ModelCheck]:
    """Recompute box, objective and, where multipliers were kept, the lower bound and the gap, from training rows."""
    X = sparse.csr_matrix(X) if sparse.issparse(X) else np.asarray(X, dtype=float)
    checks = []
    if isinstance(model, RobustLinearProgram):
        largest = float(np.abs(model.coef_).max())
        checks.append(
            ModelCheck("largest weight within the box", model.C, largest, largest <= model.C * (1 + _ROUNDING))
        )
    program = model.program(model.reduced(X), signs(model, y))
    coef = model.coef_[0][program.columns]
    reached = objective(program, coef, float(model.intercept_[0]))
    # Not beside 1: the units of X, C and the margin decide how large an objective is.
    size = program.gap_unit(reached)
    # Sums of terms w_j x_ij have the digits of the largest, whatever is left of them.
    terms = float(program.price @ (abs(X) @ np.abs(model.coef_[0])))
    close = _ROUNDING * size + _SUMS * terms
    checks.append(ModelCheck("objective", model.objective_, reached, abs(reached - model.objective_) <= close))
    if hasattr(model, "multipliers_"):
        stored = model.multipliers_
        # What float32 has taken from them is put back, as far as that proves more.
        bound = max(lower_bound(program, each) for each in (stored, balanced(program, coef, stored)))
        holds = abs(bound - model.dual_objective_) <= _STORED * size and bound <= reached + close
        checks.append(ModelCheck("lower bound by the multipliers", model.dual_objective_, bound, holds))
    return checks
