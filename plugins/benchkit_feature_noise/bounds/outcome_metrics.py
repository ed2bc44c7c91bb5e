"""Metrics of what was chosen, of what an adversary reaches beyond another, and of what an iteration costs."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit import MetricContext
from benchkit_deletion.adversaries.linear import linear_form, signs
from benchkit_deletion.threat import greedy_deletion
from benchkit_feature_noise.bounds.bracket_metrics import exact_error, greedy_error, relaxation_error

_UNKNOWN = float("nan")


def chosen_k(evaluation: MetricContext) -> float:
    """How much deletion the fitted model was made for: K of FDROP and its like, N of LP and O2B; NaN for others."""
    for name in ("n_deleted", "noise_budget"):
        if hasattr(evaluation.model, name):
            return float(getattr(evaluation.model, name))
    return _UNKNOWN


def first_feature_deleted(evaluation: MetricContext) -> float:
    """Share of the training rows with x_1 > 0 and y = +1 whose worst deletion takes x_1 (GR06, 4.1).

    The deletion is of the model's own K; NaN for models that have none.
    """
    model, X = evaluation.model, evaluation.X_train
    if not hasattr(model, "n_deleted") or X is None or evaluation.y_train is None:
        return _UNKNOWN
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    y = signs(model, evaluation.y_train)
    rows = (dense[:, 0] > 0) & (y > 0)
    if not rows.any():
        return _UNKNOWN
    coef, _ = linear_form(model)
    deleted = greedy_deletion(y[rows, None] * dense[rows] * coef, np.ones(dense.shape[1]), model.n_deleted)
    return float(deleted[:, 0].mean())


def corruption_excess(evaluation: MetricContext) -> float:
    """Error as the adversary leaves the rows, minus the error that greedy deletion within its budget causes."""
    return float(np.mean(evaluation.predictions != evaluation.y)) - greedy_error(evaluation)


def greedy_understatement(evaluation: MetricContext) -> float:
    """Error of the exact worst case minus that of the greedy adversary."""
    return exact_error(evaluation) - greedy_error(evaluation)


def bracket_width(evaluation: MetricContext) -> float:
    """Error of deletion in parts minus that of the greedy adversary: at most this much is left open."""
    return relaxation_error(evaluation) - greedy_error(evaluation)
