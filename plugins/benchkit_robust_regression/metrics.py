"""How well coefficients, features and clean rows are recovered, and the bound on it. NaN where nothing says."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchkit import MetricContext

NAN = float("nan")


def coefficients_of(model: Any) -> np.ndarray | None:
    """Weights of shape (n_features,) of a linear regressor, or of the one that RANSAC and its like have inside."""
    coef = getattr(model, "coef_", None)
    if coef is None:
        coef = getattr(getattr(model, "estimator_", None), "coef_", None)
    if coef is None:
        return None
    dense = coef.toarray() if sparse.issparse(coef) else np.asarray(coef, dtype=np.float64)
    return dense.ravel()


def selected_features(model: Any) -> np.ndarray | None:
    """Mask of shape (n_features,): what the model says it selected, or its weights other than zero."""
    selected = getattr(model, "support_", None)
    if selected is not None and np.asarray(selected).dtype == bool:
        return np.asarray(selected)
    weights = coefficients_of(model)
    return None if weights is None else weights != 0.0


def inlier_rows(model: Any) -> np.ndarray | None:
    """Mask of shape (n_train,) of the rows that the model takes as clean."""
    mask = getattr(model, "inlier_mask_", None)
    if mask is not None:
        return np.asarray(mask, dtype=bool)
    outliers = getattr(model, "outliers_", None)  # as HuberRegressor names the others
    return None if outliers is None else ~np.asarray(outliers, dtype=bool)


def f1_of_masks(selected: np.ndarray | None, true: Any) -> float:
    """2 |selected and true| / (|selected| + |true|), NaN where one is not known, or they are not of the same length."""
    if selected is None or true is None or selected.shape != np.shape(true):
        return NAN
    size = int(selected.sum()) + int(np.sum(true))
    return 2.0 * int(np.sum(selected & true)) / size if size else NAN


def coefficient_error(evaluation: MetricContext) -> float:
    """Euclidean distance of the weights from the true ones."""
    weights, true = coefficients_of(evaluation.model), evaluation.truth.get("coef")
    if weights is None or true is None or weights.shape != np.shape(true):
        return NAN
    return float(np.linalg.norm(weights - true))


def clean_rows_f1(evaluation: MetricContext) -> float:
    """F1 of the set of rows taken as clean."""
    return f1_of_masks(inlier_rows(evaluation.model), evaluation.truth.get("clean_rows"))


def all_clean_f1(evaluation: MetricContext) -> float:
    """The F1 of taking all rows as clean."""
    clean = evaluation.truth.get("clean_rows")
    return NAN if clean is None else f1_of_masks(np.ones(len(clean), dtype=bool), clean)


def features_f1(evaluation: MetricContext) -> float:
    """F1 of the set of selected features."""
    return f1_of_masks(selected_features(evaluation.model), evaluation.truth.get("support"))


def chance_features_f1(evaluation: MetricContext) -> float:
    """The F1 to be expected of as many features drawn at random."""
    selected, true = selected_features(evaluation.model), evaluation.truth.get("support")
    if selected is None or true is None or selected.shape != np.shape(true):
        return NAN
    chosen, wanted = int(selected.sum()), int(np.sum(true))
    # E|selected and true| = chosen wanted / p, and the sizes in the denominator are fixed.
    return 2.0 * chosen * wanted / (len(selected) * (chosen + wanted)) if chosen + wanted else NAN


def clean_share(evaluation: MetricContext) -> float:
    """How many rows are taken as clean, as a fraction of the training part."""
    inliers = inlier_rows(evaluation.model)
    return NAN if inliers is None else float(inliers.mean())


def fit_iterations(evaluation: MetricContext) -> float:
    """Iterations of the fit."""
    counts = getattr(evaluation.model, "n_iter_", None)
    return NAN if counts is None else float(np.sum(counts))


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
