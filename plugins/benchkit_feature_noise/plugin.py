"""The feature-noise plugin: what it declares."""

from benchkit import Adversary, Algorithm, Metric, hookimpl
from benchkit_feature_noise.declared import additive, adversaries, methods, metrics, outcomes, peers

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Robust classifiers, and what they are compared with."""
    return [*methods.ALGORITHMS, *additive.ALGORITHMS, *peers.ALGORITHMS, *outcomes.ALGORITHMS]


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """Adversaries that corrupt features."""
    return [*adversaries.ADVERSARIES]


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """Brackets, bounds, and what solvers reached."""
    return [*metrics.METRICS, *outcomes.METRICS]
