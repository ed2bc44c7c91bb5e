"""What a run of Algorithm 1 came to, NaN for models of another kind; and errors that compare between targets."""

from __future__ import annotations

import numpy as np

from benchkit import MetricContext


def n_imputations(evaluation: MetricContext) -> float:
    """Imputations in the mixture."""
    weights = getattr(evaluation.model, "imputation_weights_", None)
    return float("nan") if weights is None else float(len(weights))


def joint_objective(evaluation: MetricContext) -> float:
    """The last value of the objective."""
    path = getattr(evaluation.model, "objective_path_", None)
    return float("nan") if path is None else float(path[-1])


def wii_iterations(evaluation: MetricContext) -> float:
    """Iterations until the end; a single imputation has none."""
    path = getattr(evaluation.model, "objective_path_", None)
    return float("nan") if path is None else float(len(path) - 1)


def relative_squared_error(evaluation: MetricContext) -> float:
    """Mean squared error over the variance of the true targets."""
    return float(np.mean((evaluation.predictions - evaluation.y) ** 2) / np.var(evaluation.y))
