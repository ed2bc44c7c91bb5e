"""The worst-case plugin: what it declares."""

from benchkit import Adversary, Algorithm, Metric, hookimpl
from benchkit_worst_case.declared import adversaries, algorithms, metrics

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Classifiers trained for columns to go missing."""
    return [*algorithms.ALGORITHMS]


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """The worst deletion: exact for trees and sums, and by asking any model."""
    return [*adversaries.ADVERSARIES]


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """What is proved of the worst case."""
    return [*metrics.METRICS]
