"""The robust-regression plugin: what it declares."""

from benchkit import Adversary, Algorithm, Metric, hookimpl
from benchkit_robust_regression.declared import competitors, methods, recovery

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """RoOFS, and what it is compared with."""
    return [*methods.ALGORITHMS, *competitors.COMPETITORS, *competitors.SCIKIT_LEARN]


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """Adversaries that corrupt responses."""
    return [*recovery.ADVERSARIES]


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """What is recovered."""
    return [*recovery.METRICS]
