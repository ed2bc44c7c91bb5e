"""The protocol of a trial, step by step.

Load, split, corrupt the training part (adversaries of phase ``train``), preprocess (fitted on the training part),
feature values, tune, refit, corrupt the test part, score.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid

from benchkit.data.cache import cached
from benchkit.plugin.declarations import (
    Adversary,
    Algorithm,
    Attack,
    Corruption,
    Data,
    Dataset,
    Evaluation,
    NotApplicableError,
)
from benchkit.plugin.manager import Registry, registry
from benchkit.suite.plan import AdversaryCell, DatasetCell, Trial, digest
from benchkit.trial import seeds
from benchkit.trial.feature_values import feature_values
from benchkit.trial.identity import Fingerprints
from benchkit.trial.memo import Memo
from benchkit.trial.prepare import check_loaded, draw_split, preprocessor


@dataclass(frozen=True)
class Part:
    """Rows as the model sees them (X), and as they were loaded (raw)."""

    X: Any
    y: np.ndarray
    raw: Any


@dataclass(frozen=True)
class Prepared:
    """The data of one repetition, ready for any algorithm."""

    train: Part
    validation: Part
    test: Part
    values: np.ndarray
    data: Data
    budget: float
    truth: Mapping[str, Any]
    load_seconds: float


def run_trial(trial: Trial, memo: Memo) -> dict[str, Any]:
    """Run one trial; return what it adds to its record.

    Parameters
    ----------
    trial : Trial
    memo : Memo
        Where fits are shared.

    Returns
    -------
    dict
        ``metrics``, ``params`` (as chosen), ``budget`` (the amount), ``fit_seconds``, ``tune_seconds``.

    Raises
    ------
    DataUnavailableError, NotApplicableError
        The trial is to be skipped.
    """
    found = registry(trial.plugins)
    algorithm = found.algorithms[trial.algorithm.name]
    adversary = found.adversaries[trial.adversary.name] if trial.adversary else None
    prepared = _prepare(trial, found, adversary)
    learner = _Learner(trial, algorithm, prepared, memo)
    learner.check_accepts(found.datasets[trial.dataset.name])
    opponent = _Opponent(trial, adversary, prepared)

    params, tune_seconds = learner.params({}), None
    if trial.algorithm.tune is not None:
        params, tune_seconds = _tune(trial, learner, opponent, found)
    model, fit_seconds = learner.fit(params, learner.refit_on())
    test, truth = opponent.corrupt_test(model, prepared.test, "test")
    seconds = {"load": prepared.load_seconds, "fit": fit_seconds, "tune": tune_seconds or 0.0}
    metrics = _score(trial.metrics, found, model, test, {**prepared.truth, **truth}, seconds)
    return {
        "metrics": metrics,
        "params": {name: _plain(value) for name, value in params.items()},
        "budget": prepared.budget if trial.adversary else None,
        "fit_seconds": fit_seconds,
        "tune_seconds": tune_seconds,
    }


def _plain(value: Any) -> Any:
    """A parameter as the record shows it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    return value if isinstance(value, str | int | float | bool | list | dict | None) else repr(value)


def _prepare(trial: Trial, found: Registry, adversary: Adversary | None) -> Prepared:
    train_adversary = trial.adversary if adversary is not None and adversary.phase == "train" else None
    base = _prepare_shared(_Hashable(trial.seed, trial.dataset, trial.repetition, train_adversary, trial.plugins))
    unit = adversary.budget_unit if adversary is not None else "none"
    return replace(base, budget=_amount(trial.adversary, unit, base.values) if trial.adversary else 0.0)


@dataclass(frozen=True)
class _Hashable:
    """Argument of the cache of prepared data: equal when everything that decides the data is equal."""

    seed: int
    dataset: DatasetCell
    repetition: int
    adversary: AdversaryCell | None
    plugins: tuple[str, ...]

    @property
    def _key(self) -> str:
        return repr((self.seed, self.dataset, self.repetition, self.adversary, self.plugins))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashable) and self._key == other._key


@lru_cache(maxsize=2)
def _load(key: _Hashable) -> tuple[Data, float]:
    """Load a dataset, and say how many seconds that took."""
    cell = key.dataset
    declared: Dataset = registry(key.plugins).datasets[cell.name]
    start = time.perf_counter()
    params = dict(cell.params)
    if declared.generated:
        params["random_state"] = seeds.integer(key.seed, "data", cell.identity, key.repetition)
    if declared.files or declared.paths is not None:
        content = digest([cell.identity, _fingerprints(key.plugins).dataset(cell)], 32)
        data = cached(content, lambda: declared.load(**params))
    else:
        data = declared.load(**params)
    return check_loaded(data, cell.name), time.perf_counter() - start


@lru_cache(maxsize=4)
def _prepare_shared(key: _Hashable) -> Prepared:
    cell, seed, repetition = key.dataset, key.seed, key.repetition
    declared: Dataset = registry(key.plugins).datasets[cell.name]
    # Only a generated dataset differs by repetition; none by the adversary.
    loaded = replace(key, adversary=None, repetition=repetition if declared.generated else 0)
    data, load_seconds = _load(loaded)
    folds = cell.split.folds
    drawn = repetition // folds if folds else repetition
    split_seed = seeds.integer(seed, "split", cell.identity, drawn)
    classify = declared.task == "classification"
    rows = draw_split(cell.split, data.y, repetition, classify, split_seed)
    if classify and len(np.unique(data.y[rows.train])) < 2:
        raise ValueError("the training part holds a single class")

    raw = {name: (data.X[index], data.y[index]) for name, index in vars(rows).items()}
    truth = dict(data.truth)
    if key.adversary is not None:
        corrupted = _corrupt_training(key, data, *raw["train"])
        raw["train"] = (corrupted.X, corrupted.y)
        truth |= corrupted.truth
    pipeline = preprocessor(cell.preprocess, sparse.issparse(data.X))
    parts = {}
    for name in ("train", "validation", "test"):
        X, y = raw[name]
        if pipeline is not None and len(y):
            X = pipeline.fit_transform(X) if name == "train" else pipeline.transform(X)
        parts[name] = Part(X, y, raw[name][0])
    values = feature_values(cell.feature_values, parts["train"].X, parts["train"].y, data)
    return Prepared(**parts, values=values, data=data, budget=0.0, truth=truth, load_seconds=load_seconds)


def _corrupt_training(key: _Hashable, data: Data, X: Any, y: np.ndarray) -> Corruption:
    cell = key.adversary
    assert cell is not None
    declared = registry(key.plugins).adversaries[cell.name]
    values = np.ones(X.shape[1])
    attack = Attack(
        X=X,
        y=y,
        budget=_amount(cell, declared.budget_unit, values),
        feature_values=values,
        rng=seeds.stream(key.seed, "corruption", key.dataset.identity, key.repetition, cell.identity, "train"),
        feature_names=data.feature_names,
    )
    corruption: Corruption = declared.make(**cell.params).corrupt(attack)
    return corruption


def _amount(cell: AdversaryCell, unit: str, values: np.ndarray) -> float:
    """A budget as an amount: shares are of V, of the number of features, or of 1."""
    most = {"value": float(values.sum()), "features": float(len(values)), "fraction": 1.0, "none": np.inf}[unit]
    if cell.share is not None:
        amount = cell.share * most
        return float(round(amount)) if unit == "features" else amount
    assert cell.amount is not None
    if cell.amount > most * (1 + 1e-12):
        what = {"value": "the total value of the features", "features": "the number of features"}.get(unit, "")
        raise ValueError(f"budget {cell.amount:g} exceeds {most:g}, {what or 'the most possible'}")
    return cell.amount


def forget() -> None:
    """Drop what this process holds of data and sources: files may have changed since."""
    for held in (_load, _prepare_shared, _fingerprints):
        held.cache_clear()


class _Learner:
    """Makes and fits the trial's algorithm."""

    def __init__(self, trial: Trial, algorithm: Algorithm, prepared: Prepared, memo: Memo) -> None:
        self.trial, self.algorithm, self.prepared, self.memo = trial, algorithm, prepared, memo
        self._sources = _fingerprints(trial.plugins).algorithm(algorithm.name)

    def check_accepts(self, dataset: Dataset) -> None:
        """Refuse data of a kind that the algorithm does not take."""
        name, X = self.algorithm.name, self.prepared.train.X
        if dataset.task not in self.algorithm.tasks:
            raise NotApplicableError(f"{name} does not do {dataset.task}")
        if sparse.issparse(X) and not self.algorithm.accepts_sparse:
            raise NotApplicableError(f"{name} does not take sparse data")
        entries = X.data if sparse.issparse(X) else X
        if not self.algorithm.accepts_missing and np.isnan(entries).any():
            raise NotApplicableError(f"{name} does not take missing values")

    def params(self, candidate: Mapping[str, Any]) -> dict[str, Any]:
        """Constructor parameters: the declaration's, overridden by the suite's, overridden by a tuning candidate."""
        declared = self.algorithm
        params: dict[str, Any] = {}
        if declared.budget_param is not None and self.trial.adversary is not None:
            params[declared.budget_param] = self.prepared.budget
        if declared.values_param is not None:
            params[declared.values_param] = self.prepared.values
        placeholders = {"$budget": self.prepared.budget, "$axis": self.trial.axis_value}
        for name, value in {**self.trial.algorithm.params, **candidate}.items():
            params[name] = placeholders.get(value, value) if isinstance(value, str) else value
        return params

    def grid(self) -> list[dict[str, Any]]:
        """Tuning candidates, in the order in which ties are decided."""
        tune = self.trial.algorithm.tune
        assert tune is not None
        if isinstance(tune.grid, Mapping):
            return list(ParameterGrid(tune.grid))
        n_features, total = len(self.prepared.values), float(self.prepared.values.sum())
        budget = self.params({}).get(self.algorithm.budget_param or "", self.prepared.budget)
        return list(
            ParameterGrid({k: list(v) for k, v in self.algorithm.default_grid(n_features, total, budget).items()})
        )

    def refit_on(self) -> Part:
        """What the chosen parameters are fitted on."""
        tune, prepared = self.trial.algorithm.tune, self.prepared
        if tune is None or tune.refit == "train":
            return prepared.train
        parts = (prepared.train, prepared.validation)
        stack = sparse.vstack if sparse.issparse(prepared.train.X) else np.concatenate
        X, raw = stack([part.X for part in parts]), stack([part.raw for part in parts])
        return Part(X, np.concatenate([part.y for part in parts]), raw)

    def fit(self, params: Mapping[str, Any], part: Part) -> tuple[Any, float]:
        """A fitted estimator and its fit's wall seconds, shared with other trials."""
        key = self.memo.key(self._sources, {**params, "": self._random_state()}, part.X, part.y)
        return self.memo.fit(key, lambda: self._new(params).fit(part.X, part.y))

    def _new(self, params: Mapping[str, Any]) -> Any:
        estimator = self.algorithm.make(**params)
        if "random_state" in estimator.get_params(deep=False) and "random_state" not in params:
            estimator.set_params(random_state=self._random_state())
        return estimator

    def _random_state(self) -> int:
        trial = self.trial
        return seeds.integer(trial.seed, "algorithm", trial.dataset.identity, trial.repetition, self.algorithm.name)


@lru_cache(maxsize=1)
def _fingerprints(plugins: tuple[str, ...]) -> Fingerprints:
    """Sources and files are read once per worker: what it has imported cannot change under it either."""
    return Fingerprints(registry(plugins))


class _Opponent:
    """The trial's adversary in the phase ``test``, or nobody."""

    def __init__(self, trial: Trial, adversary: Adversary | None, prepared: Prepared) -> None:
        self.trial, self.prepared = trial, prepared
        self.declared = adversary if adversary is not None and adversary.phase == "test" else None
        self.acting = self.declared.make(**trial.adversary.params) if self.declared and trial.adversary else None

    def corrupt_test(self, model: Any, part: Part, stream: str) -> tuple[Part, Mapping[str, Any]]:
        """A part as the adversary leaves it for this model."""
        trial, cell = self.trial, self.trial.adversary
        if self.declared is None or self.acting is None or cell is None:
            return part, {}
        _check_requirement(model, self.declared)
        names = ("corruption", trial.dataset.identity, trial.repetition, cell.identity, stream)
        attack = Attack(
            X=part.X,
            y=part.y,
            budget=self.prepared.budget,
            feature_values=self.prepared.values,
            rng=seeds.stream(trial.seed, *names),
            model=model,
            raw=part.raw,
            feature_names=self.prepared.data.feature_names,
        )
        corruption: Corruption = self.acting.corrupt(attack)
        return Part(corruption.X, corruption.y, part.raw), corruption.truth


def _check_requirement(model: Any, adversary: Adversary) -> None:
    if adversary.requires == "linear" and not (hasattr(model, "coef_") and hasattr(model, "intercept_")):
        raise NotApplicableError(f"{adversary.name} needs a linear model; {type(model).__name__} has no coef_")
    if adversary.requires == "decision_function" and not (
        hasattr(model, "decision_function") or hasattr(model, "predict_proba")
    ):
        raise NotApplicableError(f"{adversary.name} needs a decision function; {type(model).__name__} has none")


def _tune(trial: Trial, learner: _Learner, opponent: _Opponent, found: Registry) -> tuple[dict[str, Any], float]:
    """Parameters with the best mean on the validation part, the first of equals, and the wall seconds it took."""
    tune = trial.algorithm.tune
    assert tune is not None
    name = tune.metric or trial.metrics[0]
    sign = -1.0 if found.metrics[name].greater_is_better else 1.0
    best: tuple[float, dict[str, Any]] | None = None
    seconds = 0.0
    for candidate in learner.grid():
        params = learner.params(candidate)
        model, fit_seconds = learner.fit(params, learner.prepared.train)
        start = time.perf_counter()
        part: Part = learner.prepared.validation
        if tune.data == "corrupted":
            part, _ = opponent.corrupt_test(model, part, "validation")
        loss = sign * _score((name,), found, model, part, learner.prepared.truth, {})[name]
        seconds += fit_seconds + time.perf_counter() - start
        if best is None or loss < best[0]:
            best = loss, params
    if best is None:
        raise ValueError(f"the tuning grid of {trial.algorithm.label} is empty or every score is NaN")
    return best[1], seconds


def _score(
    names: tuple[str, ...],
    found: Registry,
    model: Any,
    part: Part,
    truth: Mapping[str, Any],
    seconds: Mapping[str, float],
) -> dict[str, float]:
    predictions = np.asarray(model.predict(part.X))
    if predictions.shape[:1] != part.y.shape:
        raise ValueError(f"predict returned shape {predictions.shape} for {len(part.y)} rows")
    if predictions.dtype.kind == "f" and not np.isfinite(predictions).all():
        raise ValueError("predict returned values that are not finite")
    evaluation = Evaluation(model=model, X=part.X, y=part.y, predictions=predictions, truth=truth, seconds=seconds)
    task = "classification" if is_classifier(model) else "regression"
    scores = {}
    for name in names:
        metric = found.metrics[name]
        if task not in metric.tasks:
            raise NotApplicableError(f"metric {name} does not judge {task}")
        scores[name] = float(metric.compute(evaluation))
    return scores
