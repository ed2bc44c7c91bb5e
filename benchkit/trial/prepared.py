"""The data of a trial, made ready: loaded, split, preprocessed; what trials share is prepared once, and read-only."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
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
from benchkit.trial.split import ask_for_split, check_apart, draw_split, structure_of

# MB of data that a process prepares before it drops what it holds. Below that it keeps the latest few repetitions.
_MOST = 1024.0


Groups = Sequence[Sequence[int]]

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
    copy = np.array(value, order="F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C")
    copy.flags.writeable = False
    _memory.copied += value.nbytes / 2**20
    return copy.view()  # the flag of a view cannot be set where the array that owns the memory has none


@dataclass(frozen=True)
class Part:
    """Rows as the model sees them (X), and as they were loaded (raw); groups and moments as of `RowStructure`.

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
        hashed: str = joblib.hash((self.X, self.y), hash_name="sha1")
        return hashed

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
    truth: Mapping[str, Any]
    load_seconds: float
    imputed: np.ndarray | None
    preprocess: Callable[[Any], Any] | None
    n_groups: int | None
    kind: DataKind


def prepare(trial: Trial) -> Prepared:
    """The data of a trial, with its budget as an amount."""
    known, adversary = registry(trial.plugins), trial.adversary
    declared = None if adversary is None else known.adversaries[adversary.name]
    in_training = adversary if declared is not None and declared.phase == "train" else None
    takes_missing = (
        imputes(trial.dataset.preprocess, IMPUTE_WHERE_NEEDED)
        and known.algorithms[trial.algorithm.name].accepts_missing
    )
    key = DataKey(trial.seed, trial.dataset, trial.repetition, in_training, trial.plugins, takes_missing)
    base = _prepare_shared(key)
    if adversary is None or declared is None:
        return base
    return replace(base, budget=amount_of(adversary, declared.budget_unit, base.values, base.data.groups))


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
    return digest([dataset.whole.identity, fingerprints.dataset(dataset)], 32)


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
    dataset = key.dataset
    declared: Dataset = registry(key.plugins).datasets[dataset.name]
    start = time.perf_counter()
    params = dict(dataset.whole.params)
    if declared.generated:
        params["random_state"] = seeds.integer(key.seed, "data", dataset.identity, key.repetition)

    def read() -> Data:
        return check_loaded(declared.load(**params), dataset.name)

    is_of_files = declared.files or declared.paths is not None
    data = cached(parsed_content(dataset, fingerprints(key.plugins)), read) if is_of_files else read()
    seconds = time.perf_counter() - start
    truth = {name: protected(value) for name, value in data.truth.items()}
    return replace(data, X=protected(data.X), y=protected(data.y), truth=truth), seconds


@lru_cache(maxsize=4)
def _prepare_shared(key: DataKey) -> Prepared:
    dataset, seed, repetition = key.dataset, key.seed, key.repetition
    known = registry(key.plugins)
    declared: Dataset = known.datasets[dataset.name]
    folds = dataset.split.folds
    # The folds of one shuffle are parts of the same data.
    drawn = repetition // folds if folds else repetition
    # Only a generated dataset differs by seed and draw; none by the adversary.
    loaded = replace(key, seed=0, repetition=0, adversary=None, takes_missing=False)
    if declared.generated:
        loaded = replace(loaded, seed=seed, repetition=drawn)
    data, load_seconds = _load(loaded)
    split_seed = seeds.integer(seed, "split", dataset.identity, drawn)
    classify = declared.task == "classification"
    structure = structure_of(dataset.split, data)
    if dataset.split.method in SPLITS:
        rows = draw_split(dataset.split, structure, data.y, repetition, classify, split_seed)
    else:
        method = known.splits[dataset.split.method]
        rows = ask_for_split(method, dataset.split, data, repetition, classify, split_seed, structure)
    check_apart(rows, structure.groups)
    if classify and len(np.unique(data.y[rows.train])) < 2:
        raise ValueError("the training part holds a single class")

    raw = {name: (data.X[index], data.y[index]) for name, index in vars(rows).items()}
    truth = dict(data.truth)
    if key.adversary is not None:
        corrupted = _corrupt_training(key, data, *raw["train"])
        raw["train"] = (corrupted.X, corrupted.y)
        truth |= {name: protected(value) for name, value in corrupted.truth.items()}
    steps = known.preprocessing_steps
    blocks = data.groups if data.one_hot is None else data.one_hot
    pipeline = preprocessor(dataset.preprocess, sparse.issparse(data.X), blocks, key.takes_missing, steps)
    parts = {}
    for name in ("train", "validation", "test"):
        X, y = raw[name]
        if pipeline is not None and len(y):
            X = pipeline.fit_transform(X) if name == "train" else pipeline.transform(X)
            if X.shape[1] != data.X.shape[1]:
                raise ValueError(f"preprocessing made {X.shape[1]} columns of {data.X.shape[1]}: steps keep them")
        own = getattr(rows, name)
        groups, moments = (None if each is None else each[own] for each in (structure.groups, structure.moments))
        parts[name] = Part(protected(X), protected(y), protected(raw[name][0]), groups, moments, protected(own))
    if key.takes_missing:  # values are the same for all methods: those of the data without gaps
        values = _prepare_shared(replace(key, takes_missing=False)).values
    else:
        train = parts["train"]
        values = protected(feature_values(dataset.feature_values, train.X, train.y, data, known.feature_values))
    imputed = None
    if pipeline is not None and not sparse.issparse(data.X):
        row = np.asarray(pipeline.transform(np.full((1, data.X.shape[1]), np.nan)))[0]
        imputed = None if np.isnan(row).any() else protected(row)
    return Prepared(
        **parts,
        values=values,
        data=data,
        budget=0.0,
        truth=truth,
        load_seconds=load_seconds,
        imputed=imputed,
        preprocess=None if pipeline is None else pipeline.transform,
        n_groups=None if structure.groups is None else int(structure.groups.max()) + 1,
        kind=kind_of(parts["train"].X, data.y, declared.task),
    )


def _corrupt_training(key: DataKey, data: Data, X: Any, y: np.ndarray) -> AttackResult:
    adversary = key.adversary
    assert adversary is not None
    declared = registry(key.plugins).adversaries[adversary.name]
    # Values that are computed come from the training part as the adversary leaves it. Those by mutual information sum
    # to n_features, as ones do, so that a budget is the same amount here and in the record.
    kind = key.dataset.feature_values
    values = feature_values(kind if kind == "given" or not isinstance(kind, str) else "uniform", X, y, data)
    attack = AttackContext(
        X=X,
        y=y,
        budget=amount_of(adversary, declared.budget_unit, values, data.groups),
        feature_values=values,
        rng=seeds.stream(key.seed, "corruption", key.dataset.identity, key.repetition, adversary.identity, "train"),
        feature_names=data.feature_names,
        groups=data.groups,
        group_names=data.group_names,
    )
    return check_corruption(declared.make(**adversary.params).corrupt(attack), attack, declared)


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


def amount_of(adversary: PlannedAdversary, unit: str, values: np.ndarray, groups: Groups = ()) -> float:
    """A budget as an amount: shares are of V, of the number of features, or of 1."""
    counts = UNITS[unit]
    total, count = float(values.sum()), float(Features(len(values), groups).n_features)
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


def forget() -> None:
    """Drop what this process holds of data and sources: files may have changed since."""
    for held in (_load, _prepare_shared, fingerprints):
        held.cache_clear()


def check_loaded(data: Any, name: str) -> Data:
    """Refuse what is no dataset, or one whose parts do not fit together."""
    if not isinstance(data, Data):
        raise TypeError(f"dataset {name!r} loaded a {type(data).__name__}, expected a benchkit.Data")
    if len(shape := getattr(data.X, "shape", ())) != 2:
        what = f"a {type(data.X).__name__} of shape {shape}"
        raise ValueError(f"dataset {name!r} has {what} as X, expected a row for each sample, a column for each feature")
    n_samples, n_features = data.X.shape
    if data.y.shape != (n_samples,):
        raise ValueError(f"dataset {name!r} has X of shape {data.X.shape} but y of shape {data.y.shape}")
    if n_samples == 0 or n_features == 0:
        raise ValueError(f"dataset {name!r} is empty: X has shape {data.X.shape}")
    for column, values in data.columns.items():
        length = len(values.codes if isinstance(values, Categories) else values)
        if length != n_samples:
            raise ValueError(f"dataset {name!r} has {n_samples} rows, but {length} in its column {column!r}")
    if data.y.dtype.kind == "f" and not np.isfinite(data.y).all():
        raise ValueError(f"dataset {name!r} has NaN or infinite values in y: leave out rows without a label")
    return data


def make_room(trial: Trial) -> None:
    """Drop the data of earlier trials, where it is large and not this trial's: four repetitions of 4 GB are 16."""
    data = DataKey(trial.seed, trial.dataset, trial.repetition, None, trial.plugins)
    if data != _memory.data and _memory.copied > _MOST:
        # Not the fingerprints: what is imported keeps the sources that it was imported from.
        _prepare_shared.cache_clear()
        _load.cache_clear()
        _memory.copied = 0.0
    _memory.data = data
