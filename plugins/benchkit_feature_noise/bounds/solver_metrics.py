"""What a robust classifier's solver reached and what time took, as metrics; NaN for models of which none is known."""

from __future__ import annotations

import math

import numpy as np

from benchkit import MetricContext


def objective(evaluation: MetricContext) -> float:
    """Objective of the fitted weights, from the closed form of the worst case."""
    return float(getattr(evaluation.model, "objective_", math.nan))


def duality_gap(evaluation: MetricContext) -> float:
    """Objective minus the lower bound by the solver's multipliers."""
    return float(getattr(evaluation.model, "duality_gap_", math.nan))


def iterations(evaluation: MetricContext) -> float:
    """Iterations of the solver, of all classes together where it ran for each."""
    return float(np.sum(getattr(evaluation.model, "n_iter_", math.nan)))


def unconverged(evaluation: MetricContext) -> float:
    """1 where the solver ended before the gap or the tolerances asked of it, 0 where it reached them."""
    converged = getattr(evaluation.model, "converged_", None)
    return math.nan if converged is None else float(not converged)


def seconds_per_iteration(evaluation: MetricContext) -> float:
    """Wall seconds of the fit over the iterations of the solver."""
    return evaluation.seconds.get("fit", np.nan) / max(iterations(evaluation), 1.0)
