"""What a robust classifier's solver reached, as metrics."""

from __future__ import annotations

from benchkit import Evaluation


def objective(evaluation: Evaluation) -> float:
    """Objective of the fitted weights, from the closed form of the worst case."""
    return float(evaluation.model.objective_)


def duality_gap(evaluation: Evaluation) -> float:
    """Objective minus the lower bound by the solver's multipliers."""
    return float(evaluation.model.duality_gap_)


def iterations(evaluation: Evaluation) -> float:
    """Iterations of the solver."""
    return float(evaluation.model.n_iter_)
