"""The peers plugin: what it declares. Nothing of the methods' own packages is imported here."""

from benchkit import Algorithm, Metric, hookimpl
from benchkit_peers.declared import conformal, linear, missing, robust, tabular, trees

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Trees, linear models, imputers, robust regressions, conformal classifiers, networks."""
    return [
        *trees.ALGORITHMS,
        *linear.ALGORITHMS,
        *missing.ALGORITHMS,
        *robust.ALGORITHMS,
        *conformal.ALGORITHMS,
        *tabular.ALGORITHMS,
    ]


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """What conformal classifiers are judged by."""
    return [*conformal.METRICS]
