"""Declarations of the robust-regression plugin."""

from benchkit import Adversary, Algorithm, Metric, hookimpl
from benchkit_robust_regression import declared_competitors, declared_recovery

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Declare RoOFS and what it is compared with."""
    return [
        Algorithm(
            name="roofs",
            make="benchkit_robust_regression.roofs:RoOFS",
            summary="Keeps the k best of the features that arrive in batches, fitted to the rows that look clean",
            tasks=("regression",),
            grid={"n_selected": [0.05, 0.1, 0.2, 0.4]},
            accepts_sparse=True,
            reference=f"{declared_recovery.ROOFS}, Algorithm 1",
            formula="w <- largest k of w + eta X_S'(y - X w)_S / n, S = the tau rows with the smallest residuals",
        ),
        *declared_competitors.COMPETITORS,
        *declared_competitors.SCIKIT_LEARN,
    ]


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """Declare the adversaries that corrupt responses."""
    return list(declared_recovery.ADVERSARIES)


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """Declare the metrics of recovery."""
    return list(declared_recovery.METRICS)
