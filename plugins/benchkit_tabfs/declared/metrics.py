"""Declarations of metrics."""

from benchkit import Metric

_ROOM = "benchkit_tabfs.metrics.absent_columns"

METRICS = [
    Metric(
        name="absent-correlation",
        compute=f"{_ROOM}:absent_correlation",
        tasks=("classification", "regression"),
        greater_is_better=True,
        summary="Sum of the absent columns' |Pearson's correlation| with the target, a mean over rows",
        formula="sum_j s_j |rho(x_j, y)|, s_j the share of rows without column j",
    ),
    Metric(
        name="follows-correlations",
        range=(-1, 1),
        compute=f"{_ROOM}:follows_correlations",
        tasks=("classification", "regression"),
        greater_is_better=True,
        summary="Rank correlation of how much columns correlate with the target and how many rows lack them",
        formula="mean over pairs with s_j > s_k of sign(|rho(x_j, y)| - |rho(x_k, y)|), Somers' D",
    ),
]
