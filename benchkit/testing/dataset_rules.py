"""Rules of data sets, and of what divides their rows."""

from functools import lru_cache

import numpy as np

from benchkit.data.cache import digest_data
from benchkit.plugin.declarations import Data, Dataset, DataUnavailableError, SplitMethod
from benchkit.suite.schema import Split
from benchkit.testing.rule import NotAskedError, require, rule
from benchkit.testing.tiny import tiny_classification
from benchkit.trial.prepared import check_loaded
from benchkit.trial.split import draw_split


@rule("datasets")
def takes_its_seed_where_generated(dataset: Dataset) -> None:
    """`load` takes `random_state` if, and only if, the dataset is declared as generated."""
    takes = "random_state" in dataset.load.parameters()
    require(takes or not dataset.generated, "declares generated=True, but load takes no random_state")
    require(dataset.generated or not takes, "load takes random_state: declare generated=True")


@rule("datasets")
def labels_of_its_task(dataset: Dataset) -> None:
    """Binary labels are -1 and +1; several classes are integers or words; targets are finite floats."""
    y = np.asarray(_loaded(dataset).y)
    if dataset.task == "regression":
        require(y.dtype.kind == "f" and np.isfinite(y).all(), f"targets of dtype {y.dtype} must be finite floats")
        return
    labels = list(np.unique(y))
    require(len(labels) > 1, f"there is one class only: {labels}")
    require(len(labels) > 2 or labels == [-1, 1], f"labels of two classes are {labels}: make them -1 and +1")
    require(y.dtype.kind != "f", "labels are floats: make them integers or words")


@rule("datasets")
def loads_the_same_again(dataset: Dataset) -> None:
    """The same parameters (and seed) load the same; another seed generates other data."""
    first = digest_data(_loaded(dataset))
    again = "two loads differ: read files in a fixed order, draw from random_state alone"
    require(first == digest_data(_load(dataset, 0)), again)
    other = dataset.generated and digest_data(_load(dataset, 1))
    require(first != other, "another random_state generates the same data")


def _load(dataset: Dataset, seed: int) -> Data:
    if dataset.paths is not None or dataset.example is None:
        raise NotAskedError("loads what only a user can name")
    try:
        data: Data = dataset.load(**dataset.example, **({"random_state": seed} if dataset.generated else {}))
    except DataUnavailableError as error:
        raise NotAskedError(str(error)) from None
    return data


@lru_cache(maxsize=1)
def _loaded(dataset: Dataset) -> Data:
    """What is loaded, kept while the rules of one dataset are tried."""
    return check_loaded(_load(dataset, 0), dataset.name)


@rule("splits")
def divides_the_rows(split: SplitMethod) -> None:
    """It returns three arrays of row numbers, again the same ones; none is in two, train and test have rows."""
    try:
        split.make()
    except TypeError as error:
        raise NotAskedError(f"it has parameters without defaults: {error}") from None
    first, second = (draw_split(split, Split(validation=0.2), tiny_classification(), 0, True, 7) for _ in range(2))
    for name, one in vars(first).items():
        same = np.array_equal(one, getattr(second, name))
        require(same, f"gives another {name} part the second time: seed it with context.random_state")
