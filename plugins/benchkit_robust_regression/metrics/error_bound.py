"""The right side of RoOFS Theorem 3, at the sets that a fit ended with."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit import MetricContext
from benchkit_robust_regression.metrics.recovery import NAN, coefficients_of, inlier_rows


def coefficient_error_bound(evaluation: MetricContext) -> float:
    """(||e_T|| + ||r_T||) / sqrt(kappa), which is never below the coefficient error; NaN where kappa is zero.

    T are the rows taken as clean that are clean, e = y - X w* their noise, r = y - b - X w the residuals. On them
    X_T (w - w*) + b = e_T - r_T, so sqrt(kappa) ||(w - w*, b)|| <= ||e_T - r_T||, kappa being the least eigenvalue of
    Z'Z, where Z are the columns of X_T that w or w* use (and ones, if b is not zero): the restricted strong convexity
    of Eq. 6 at these sets. The theorem's own constant is a minimum over all sets of that size, which nobody can
    compute.
    """
    weights, true = coefficients_of(evaluation.model), evaluation.truth.get("coef")
    rows, clean = inlier_rows(evaluation.model), evaluation.truth.get("clean_rows")
    if weights is None or true is None or rows is None or clean is None or weights.shape != np.shape(true):
        return NAN
    if evaluation.X_train is None or evaluation.y_train is None or rows.shape != np.shape(clean):
        return NAN
    shared = rows & clean
    used = (weights != 0.0) | (true != 0.0)
    columns = evaluation.X_train[shared][:, used]
    columns = columns.toarray() if sparse.issparse(columns) else np.asarray(columns)
    intercept = float(getattr(evaluation.model, "intercept_", 0.0))
    noise = evaluation.y_train[shared] - columns @ true[used]
    residuals = evaluation.y_train[shared] - columns @ weights[used] - intercept
    design = np.column_stack([columns, np.ones(len(columns))]) if intercept else columns
    if design.shape[0] < design.shape[1]:
        return NAN
    least = float(np.linalg.eigvalsh(design.T @ design)[0]) if design.shape[1] else 0.0
    if least <= 1e-12 * max(1.0, float(np.sum(design**2))):
        return NAN
    return float((np.linalg.norm(noise) + np.linalg.norm(residuals)) / np.sqrt(least))
