"""The data of a trial, made ready: loaded, split, preprocessed; what trials share is prepared once, and read-only."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import Any

import joblib
import numpy as np
from scipy import sparse

from benchkit.data.cache import cached
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.declarations import Adversary, AttackContext, AttackResult, Categories, Data, Dataset, Features
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.manager import registry
from benchkit.suite.names import IMPUTE_WHERE_NEEDED, SPLITS, digest, imputes
from benchkit.suite.trial import PlannedAdversary, PlannedDataset, Trial
from benchkit.trial import seeds
from benchkit.trial.preparation import feature_values, preprocessor
from benchkit.trial.refusals import DataKind, kind_of
from benchkit.trial.split import draw_split

# MB of data that a process prepares before it drops what it holds. Below that it keeps the latest few repetitions.
_MOST = 1024.0

# MB that this process has copied for trials to share, since it last dropped data; the data of the latest trial.
_memory = SimpleNamespace(copied=0.0, data=None)


def copied_megabytes() -> float:
    """MB that this process has copied for trials to share, since it last dropped data."""
    return float(_memory.copied)


def protected(value: Any) -> Any:
    """An array, or a sparse matrix made of arrays, that nobody can write to; anything else as it is."""
    if sparse.issparse(value):
        for name in ("data", "indices", "indptr"):
            if hasattr(value, name):
                setattr(value, name, protected(getattr(value, name)))
        return value
    if not isinstance(value, np.ndarray):
        return value
    owner: Any = value
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if not owner.flags.writeable:  # by this function, or as a file that is mapped for reading alone
        return value
    copy = np.array(value, order="A")
    copy.flags.writeable = False
    _memory.copied += value.nbytes / 2**20
    return copy.view()  # the flag of a view cannot be set where the array that owns the memory has none


@dataclass(frozen=True)
class Part:
    """Rows as the model sees them (X), and as they were loaded (raw); groups and moments as of `Parts`.

    ``rows`` are their numbers in the data set, where they are known.
    """

    X: Any
    y: np.ndarray
    raw: Any
    groups: np.ndarray | None = None
    moments: np.ndarray | None = None
    rows: np.ndarray | None = None

    @cached_property
    def content(self) -> str:
        """Digest of what a model is fitted on, found once for all that are."""
        return str(joblib.hash((self.X, self.y), hash_name="sha1"))

    @cached_property
    def means(self) -> np.ndarray | None:
        """Of the columns, without their gaps; 0 where all is missing; None for sparse data."""
        return None if sparse.issparse(self.X) else self._mean(self.X)

    @cached_property
    def deviations(self) -> np.ndarray | None:
        """Standard deviations of the columns, without their gaps; None for sparse data."""
        return None if self.means is None else np.sqrt(self._mean((self.X - self.means) ** 2))

    def _mean(self, values: Any) -> np.ndarray:
        present = ~np.isnan(self.X)
        return np.asarray(np.where(present, values, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1))

    def take(self, rows: np.ndarray) -> Part:
        """Some of the rows, which others will see too."""
        further = (None if each is None else each[rows] for each in (self.groups, self.moments, self.rows))
        return Part(protected(self.X[rows]), protected(self.y[rows]), protected(self.raw[rows]), *further)


@dataclass(frozen=True)
class Prepared:
    """The data of one repetition, ready for any algorithm.

    ``imputed`` is what the suite's imputer puts in place of NaN in each column, as the model sees it; ``preprocess``
    the fitted steps, from rows as they were loaded to what the model sees; ``n_groups`` how many groups the split draws
    whole, ``kind`` what of the training part and of all classes decides which methods take it.
    """

    train: Part
    validation: Part
    test: Part
    values: np.ndarray
    data: Data
    budget: float
    budget_unit: str
    truth: Mapping[str, Any]
    load_seconds: float
    imputed: np.ndarray | None
    preprocess: Callable[[Any], Any] | None
    n_groups: int | None
    kind: DataKind


def prepare(trial: Trial) -> Prepared:
    """The data of a trial, with its budget as an amount."""
    known, adversary = registry(trial.plugins), trial.adversary
    takes_missing = known.algorithms[trial.algorithm.name].accepts_missing
    takes_missing &= imputes(trial.dataset.preprocess, IMPUTE_WHERE_NEEDED)
    key = DataKey(trial.seed, trial.dataset, trial.repetition, None, trial.plugins, takes_missing)
    if adversary is None:
        return _prepare_shared(key)
    declared = known.adversaries[adversary.name]
    base = _prepare_shared(replace(key, adversary=adversary) if declared.phase == "train" else key)
    budget = amount_of(adversary, declared.budget_unit, base.values, base.data.groups)
    return replace(base, budget=budget, budget_unit=declared.budget_unit)


@dataclass(frozen=True)
class DataKey:
    """Argument of the cache of prepared data: equal when everything that decides the data is equal."""

    seed: int
    dataset: PlannedDataset = field(hash=False)
    repetition: int
    adversary: PlannedAdversary | None = field(hash=False)
    plugins: tuple[str, ...]
    takes_missing: bool = False


def parsed_content(dataset: PlannedDataset, fingerprints: Fingerprints) -> str:
    """Under what the parsed data of a dataset of files is kept: a hash of all that decides it."""
    return digest([dataset.whole.identity, fingerprints.code("dataset", dataset.name, dataset)], 32)


def load_data(dataset: PlannedDataset, plugins: tuple[str, ...]) -> tuple[Data, Dataset]:
    """The data of a dataset that is not drawn, and its declaration: anew, since files may have changed."""
    forget()
    return _load(DataKey(0, dataset, 0, None, plugins))[0], registry(plugins).datasets[dataset.name]


def prepare_data(dataset: PlannedDataset, seed: int, repetition: int, plugins: tuple[str, ...]) -> Prepared:
    """The data of a repetition that no adversary touched, as methods see it that do not support missing values."""
    return _prepare_shared(DataKey(seed, dataset, repetition, None, plugins))


@lru_cache(maxsize=2)
def _load(key: DataKey) -> tuple[Data, float]:
    """Load a dataset, and say how many seconds that took."""
    dataset, start, params = key.dataset, time.perf_counter(), dict(key.dataset.whole.params)
    declared: Dataset = registry(key.plugins).datasets[dataset.name]
    if declared.generated:
        params["random_state"] = seeds.integer(key.seed, "data", dataset.identity, key.repetition)
    is_of_files = declared.files or declared.paths is not None
    parsed = parsed_content(dataset, fingerprints(key.plugins)) if is_of_files else None
    data = cached(parsed, lambda: check_loaded(declared.load(**params), dataset.name))
    seconds = time.perf_counter() - start
    truth = {name: protected(value) for name, value in data.truth.items()}
    # Whole numbers are classes to whoever sees them without the task.
    y = data.y.astype(float, copy=False) if declared.task == "regression" else data.y
    return replace(data, X=protected(data.X), y=protected(y), truth=truth), seconds


@lru_cache(maxsize=4)
def _prepare_shared(key: DataKey) -> Prepared:
    dataset, seed, repetition, known = key.dataset, key.seed, key.repetition, registry(key.plugins)
    declared: Dataset = known.datasets[dataset.name]
    # The folds of one shuffle are parts of the same data.
    drawn = repetition // (dataset.split.folds or 1)
    # Only a generated dataset differs by seed and draw; none by the adversary.
    whose = (seed, dataset, drawn) if declared.generated else (0, dataset, 0)
    data, load_seconds = _load(DataKey(*whose, None, key.plugins))
    split_seed = seeds.integer(seed, "split", dataset.identity, drawn)
    classify = declared.task == "classification"
    method = None if dataset.split.method in SPLITS else known.splits[dataset.split.method]
    drawn_rows = draw_split(method, dataset.split, data, repetition, classify, split_seed)
    if classify and len(np.unique(data.y[drawn_rows.train])) < 2:
        raise ValueError("the training part holds a single class")

    raw_train, y_train, truth = data.X[drawn_rows.train], data.y[drawn_rows.train], dict(data.truth)
    if key.adversary is not None:
        attacks = known.adversaries[key.adversary.name]
        # Values that are computed come from the training part as the adversary leaves it. Those by mutual information
        # sum to n_features, as ones do, so that a budget is the same amount here and in the record.
        given = dataset.feature_values
        given = given if given == "given" or not isinstance(given, str) else "uniform"
        values = feature_values(given, raw_train, y_train, data)
        attack = AttackContext(
            X=raw_train,
            y=y_train,
            budget=amount_of(key.adversary, attacks.budget_unit, values, data.groups),
            feature_values=values,
            rng=seeds.stream(seed, "corruption", dataset.identity, repetition, key.adversary.identity, "train"),
            feature_names=data.feature_names,
            groups=data.groups,
            group_names=data.group_names,
        )
        corrupted = check_corruption(attacks.make(**key.adversary.params).corrupt(attack), attack, attacks)
        raw_train, y_train = corrupted.X, corrupted.y
        truth |= {name: protected(value) for name, value in corrupted.truth.items()}
    steps = known.preprocessing_steps
    blocks = data.groups if data.one_hot is None else data.one_hot
    pipeline = preprocessor(dataset.preprocess, sparse.issparse(data.X), blocks, key.takes_missing, steps)
    parts = {}
    for name in ("train", "validation", "test"):
        rows = getattr(drawn_rows, name)
        raw, y = (raw_train, y_train) if name == "train" else (data.X[rows], data.y[rows])
        X = raw
        if pipeline is not None and len(y):
            X = pipeline.fit_transform(raw) if name == "train" else pipeline.transform(raw)
            if X.shape[1] != data.X.shape[1]:
                raise ValueError(f"preprocessing made {X.shape[1]} columns of {data.X.shape[1]}: steps keep them")
        groups, moments = (None if each is None else each[rows] for each in (drawn_rows.groups, drawn_rows.moments))
        parts[name] = Part(protected(X), protected(y), protected(raw), groups, moments, protected(rows))
    if key.takes_missing:  # values are the same for all methods: those of the data without gaps
        values = _prepare_shared(replace(key, takes_missing=False)).values
    else:
        train = parts["train"]
        values = protected(feature_values(dataset.feature_values, train.X, train.y, data))
    imputed = None
    if pipeline is not None and not sparse.issparse(data.X):
        row = np.asarray(pipeline.transform(np.full((1, data.X.shape[1]), np.nan)))[0]
        imputed = None if np.isnan(row).any() else protected(row)
    # A method that takes no gaps can answer no row that has one.
    kinds = [kind_of(part.X, data.y, declared.task) for part in parts.values() if len(part.y)]
    return Prepared(
        **parts,
        values=values,
        data=data,
        budget=0.0,
        budget_unit="value",
        truth=truth,
        load_seconds=load_seconds,
        imputed=imputed,
        preprocess=None if pipeline is None else pipeline.transform,
        n_groups=None if drawn_rows.groups is None else int(drawn_rows.groups.max()) + 1,
        kind=next((kind for kind in kinds if kind.has_gaps), kinds[0]),
    )


def check_corruption(corruption: Any, attack: AttackContext, declared: Adversary) -> AttackResult:
    """Refuse what an adversary returns where it is not the data's shape."""
    if not isinstance(corruption, AttackResult):
        kind = type(corruption).__name__
        raise TypeError(f"adversary {declared.name} returned a {kind}, expected a benchkit.AttackResult")
    shapes = tuple(getattr(value, "shape", None) for value in (corruption.X, corruption.y))
    if shapes != (expected := (attack.X.shape, attack.y.shape)):
        raise ValueError(f"adversary {declared.name} returned X, y of shapes {shapes}, expected {expected}")
    if corruption.X.dtype.kind not in "fiub":
        raise TypeError(f"adversary {declared.name} returned X of type {corruption.X.dtype}, expected numbers")
    return corruption


def amount_of(adversary: PlannedAdversary, unit: str, values: np.ndarray, groups: Any = ()) -> float:
    """A budget as an amount: shares are of V, of the number of features, or of 1."""
    counts, total, count = UNITS[unit], float(values.sum()), float(Features(len(values), groups).n_features)
    if adversary.share is not None:
        return counts.amount(adversary.share, total, count)
    assert adversary.amount is not None
    if too_much := counts.exceeds(adversary.amount, total, count, rounding=1e-12):
        raise ValueError(too_much)
    return adversary.amount


@lru_cache(maxsize=1)
def fingerprints(plugins: tuple[str, ...]) -> Fingerprints:
    """Sources and files are read once per worker: what it has imported cannot change under it either."""
    return Fingerprints(registry(plugins))


def forget(before: Trial | None = None) -> None:
    """Drop what this process holds of data and sources, which may have changed since.

    Before a trial, drop the data of earlier ones alone, and only where it is large and not this trial's: four
    repetitions of 4 GB are 16. What is imported keeps the sources that it was imported from.
    """
    data = None if before is None else DataKey(before.seed, before.dataset, before.repetition, None, before.plugins)
    if data is None or (data != _memory.data and _memory.copied > _MOST):
        _prepare_shared.cache_clear()
        _load.cache_clear()
        _memory.copied = 0.0
    if data is None:
        fingerprints.cache_clear()
    _memory.data = data


def check_loaded(data: Any, name: str) -> Data:
    """Refuse what is no dataset, or one whose parts do not fit together."""
    if not isinstance(data, Data):
        raise TypeError(f"dataset {name!r} loaded a {type(data).__name__}, expected a benchkit.Data")
    if len(shape := getattr(data.X, "shape", ())) != 2 or 0 in shape:
        what = f"a {type(data.X).__name__} of shape {shape}"
        raise ValueError(f"dataset {name!r} has {what} as X, expected a row for each sample, a column for each feature")
    n_samples = data.X.shape[0]
    if data.y.shape != (n_samples,):
        raise ValueError(f"dataset {name!r} has X of shape {shape} but y of shape {data.y.shape}")
    for column, values in data.columns.items():
        length = len(values.codes if isinstance(values, Categories) else values)
        if length != n_samples:
            raise ValueError(f"dataset {name!r} has {n_samples} rows, but {length} in its column {column!r}")
    if data.y.dtype.kind == "f" and not np.isfinite(data.y).all():
        raise ValueError(f"dataset {name!r} has NaN or infinite values in y: leave out rows without a label")
    return data
