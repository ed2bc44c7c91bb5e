"""The incomplete-data plugin: what it declares."""

from benchkit import Adversary, Algorithm, Metric, hookimpl
from benchkit_incomplete_data.declared import methods, peers

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Infinite imputations, and what they are compared with."""
    return [*methods.ALGORITHMS, *peers.ALGORITHMS]


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """Adversaries that take values from the training part."""
    return [*methods.ADVERSARIES]


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """What tells of the algorithm's run."""
    return [*methods.METRICS]
