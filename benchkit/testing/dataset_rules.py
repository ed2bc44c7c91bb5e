"""Rules of data sets, and of what prepares them: splits, steps and feature values."""

from __future__ import annotations

import inspect
import re
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from benchkit.data.cache import digest_data
from benchkit.plugin.declarations import (
    Data,
    Dataset,
    DataUnavailableError,
    Features,
    FeatureValues,
    PreprocessingStep,
    SplitMethod,
)
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
def files_obtainable(dataset: Dataset) -> None:
    """Every file can be downloaded, or a person is told how to get it."""
    if not dataset.files:
        raise NotAskedError("reads no declared file")
    for file in dataset.files:
        require(file.urls or file.obtain, f"{file.name}: give 'urls', or say in 'obtain' how to get it")


@rule("datasets")
def expands_into_parameters(dataset: Dataset) -> None:
    """`expand` gives a list of mappings whose keys are parameters of `load`."""
    if dataset.expand is None:
        raise NotAskedError("declares no expand")
    parameters = dataset.load.parameters()
    anything = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    for params in dataset.expand():
        unknown = sorted(set(params) - set(parameters))
        require(anything or not unknown, f"expand gives {', '.join(unknown)}, but load takes {', '.join(parameters)}")


@rule("datasets")
def loads_samples(dataset: Dataset) -> None:
    """What it loads is Data: X of shape (n_samples, n_features), dense or CSR, and y of shape (n_samples,)."""
    X = _loaded(dataset).X
    csr = sparse.issparse(X) and X.format == "csr"
    require(isinstance(X, np.ndarray) or csr, f"X is a {type(X).__name__}, expected an array or a CSR matrix")
    require(X.dtype.kind == "f", f"X has dtype {X.dtype}, expected floats: X.astype(float)")


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
def shape_as_declared(dataset: Dataset) -> None:
    """`shape` begins with the rows and columns that are loaded, such as '569 x 10'."""
    actual = "{} x {}".format(*_loaded(dataset).X.shape)
    declared = re.match(r"\d+ x \d+", dataset.shape)
    require(declared and declared.group() == actual, f"shape is {dataset.shape!r}, loaded is {actual}: say '{actual}'")


@rule("datasets")
def columns_described_alike(dataset: Dataset) -> None:
    """Names, values and groups of features fit the columns of X."""
    data = _loaded(dataset)
    n_features = data.X.shape[1]
    names, values = list(data.feature_names), data.feature_values
    require(
        len(names) in (0, n_features) and len(set(names)) == len(names),
        f"{len(names)} feature names, {len(set(names))} of them different, for {n_features} columns",
    )
    require(
        values is None
        or (np.shape(values) == (n_features,) and np.isfinite(values).all() and (np.asarray(values) >= 0).all()),
        f"feature_values must be {n_features} finite numbers that are not negative",
    )
    try:
        Features(n_features, data.groups)
    except ValueError as error:
        require(False, f"groups: {error}")


@rule("datasets")
def loads_the_same_again(dataset: Dataset) -> None:
    """The same parameters (and seed) load the same; another seed generates other data."""
    first = digest_data(_loaded(dataset))
    again = "two loads differ: read files in a fixed order, draw from random_state alone"
    require(first == digest_data(_load(dataset, 0)), again)
    other = dataset.generated and digest_data(_load(dataset, 1))
    require(first != other, "another random_state generates the same data")


@rule("datasets")
def digest_as_declared(dataset: Dataset) -> None:
    """What is loaded has the declared digest."""
    if not dataset.digest:
        raise NotAskedError("declares no digest")
    actual = digest_data(_loaded(dataset))
    require(actual == dataset.digest, f"the digest of what was loaded is {actual}; declared is {dataset.digest}")


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
    _made(split)
    first, second = (draw_split(split, Split(validation=0.2), tiny_classification(), 0, True, 7) for _ in range(2))
    for name, one in vars(first).items():
        same = np.array_equal(one, getattr(second, name))
        require(same, f"gives another {name} part the second time: seed it with context.random_state")


@rule("preprocessing_steps")
def keeps_rows_and_columns(step: PreprocessingStep) -> None:
    """What it makes of a part has the part's rows and columns, in training and afterwards."""
    X = tiny_classification().X
    transformer = Pipeline([("step", _made(step))])  # as in a trial: it asks whether the step is fitted
    for made, before in ((transformer.fit_transform(X[:40]), X[:40]), (transformer.transform(X[40:]), X[40:])):
        shapes = f"makes {made.shape} of {before.shape}"
        require(made.shape == before.shape, f"{shapes}: names, groups and values are the columns'")


@rule("preprocessing_steps")
def lets_gaps_pass(step: PreprocessingStep) -> None:
    """NaN is left where it is, for the methods that take it."""
    X = np.array(tiny_classification().X, dtype=float)
    X[::7, 0] = np.nan
    made = np.asarray(_made(step).fit_transform(X))
    require(np.array_equal(np.isnan(made), np.isnan(X)), "fills gaps or makes some: only 'impute' does that")


def _made(declared: SplitMethod | PreprocessingStep) -> Any:
    try:
        return declared.make()
    except TypeError as error:
        raise NotAskedError(f"it has parameters without defaults: {error}") from None


@rule("feature_values")
def values_are_costs(values: FeatureValues) -> None:
    """Finite numbers that are not negative, one for each feature or each column, the same again; not all are 0."""
    data = tiny_classification()
    for groups in ((), ((0, 1),)):
        features = Features(data.X.shape[1], groups)
        first, second = (np.asarray(values.compute(data.X, data.y, features), dtype=float) for _ in range(2))
        right = first.shape in ((features.n_features,), (features.n_columns,))
        expected = f"{features.n_features} features of {features.n_columns} columns"
        require(right, f"gives numbers of shape {first.shape} for {expected}")
        require(np.all(np.isfinite(first)) and np.all(first >= 0), "gives numbers that are negative or not finite")
        require(first.sum() > 0, "every feature costs 0")
        require(np.array_equal(first, second), "gives other numbers the second time")
