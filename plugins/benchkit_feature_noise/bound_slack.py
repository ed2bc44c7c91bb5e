"""What Theorem 2 of Dekel, Shamir & Xiao 2010 gives away, as a metric."""

from __future__ import annotations

from benchkit import Evaluation
from benchkit_feature_noise.bound_metrics import theorem2_bound
from benchkit_feature_noise.bracket_metrics import exact_error


def theorem2_slack(evaluation: Evaluation) -> float:
    """Theorem 2's bound on the risk minus the exact worst-case error of the test rows; NaN where either is."""
    return theorem2_bound(evaluation) - exact_error(evaluation)
