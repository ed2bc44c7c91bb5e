"""The plugin of feature shifts: what it declares."""

from benchkit import Adversary, Dataset, Metric, SplitMethod, hookimpl
from benchkit_tabfs.declared import adversaries, datasets, metrics, splits

benchkit_api = 1


@hookimpl
def benchkit_datasets() -> list[Dataset]:
    """Tables of TabFSBench."""
    return [*datasets.DATASETS]


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """Who takes whole columns from all rows."""
    return [*adversaries.ADVERSARIES]


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """What the absent columns have to do with their correlations."""
    return [*metrics.METRICS]


@hookimpl
def benchkit_splits() -> list[SplitMethod]:
    """A split with a seed of the suite's own."""
    return [*splits.SPLITS]
