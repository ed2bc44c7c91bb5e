"""From a validated suite to its trials."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from benchkit.plugin.declarations import Dataset
from benchkit.plugin.manager import Registry
from benchkit.suite.load import Loaded, SuiteError
from benchkit.suite.schema import AdversaryEntry, DatasetEntry, FeatureValues, Split, Suite, Tune


def digest(content: Any, length: int = 16) -> str:
    """Short hash of plain values."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def dataset_name(label: str, params: Mapping[str, Any]) -> str:
    """A dataset with its parameters as people see it: ``digits pair=[4, 7]``."""
    return " ".join([label, *(f"{key}={value}" for key, value in params.items())])


@dataclass(frozen=True)
class DatasetCell:
    """A dataset with all its parameters, and how its rows and columns are prepared."""

    name: str
    label: str
    params: Mapping[str, Any]
    group: str | None
    split: Split
    preprocess: tuple[str | dict[str, Any], ...]
    feature_values: FeatureValues

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides the data of a repetition, and the streams it is drawn from."""
        return {"name": self.name, "params": self.params}

    @cached_property
    def protocol(self) -> dict[str, Any]:
        """What decides how the data is prepared."""
        return {
            "split": self.split.model_dump(exclude={"repetitions"}),
            "preprocess": list(self.preprocess),
            "feature_values": self.feature_values,
        }


@dataclass(frozen=True)
class AlgorithmCell:
    """An algorithm entry with its parameters."""

    name: str
    label: str
    params: Mapping[str, Any]
    tune: tuple[Tune, ...]

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides which estimator is fitted."""
        tune = [stage.model_dump() for stage in self.tune]
        return {"name": self.name, "label": self.label, "params": self.params, "tune": tune}


@dataclass(frozen=True)
class AdversaryCell:
    """An adversary with its parameters and one budget: an amount, or a share of what it could take at most."""

    name: str
    label: str
    params: Mapping[str, Any]
    amount: float | None
    share: float | None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides the stream of its randomness: not the budget, so that larger budgets extend smaller ones."""
        return {"name": self.name, "params": self.params}


NO_ADVERSARY = "none"


@dataclass(frozen=True)
class Trial:
    """One repetition of one dataset, algorithm, adversary and point on the axis: one future record."""

    suite: str
    profile: str
    seed: int
    dataset: DatasetCell
    repetition: int
    algorithm: AlgorithmCell
    adversary: AdversaryCell | None
    axis: str
    axis_value: Any
    metrics: tuple[str, ...]
    plugins: tuple[str, ...] = field(default=())

    @cached_property
    def cell(self) -> str:
        """Identifies the repetitions of one combination."""
        return digest(self._cell_fields, 12)

    @cached_property
    def _cell_fields(self) -> dict[str, Any]:
        adversary = self.adversary
        return {
            "suite": self.suite,
            "dataset": self.dataset.label,
            "dataset_params": dict(self.dataset.params),
            "group": self.dataset.group,
            "feature_values": self.dataset.feature_values,
            "algorithm": self.algorithm.label,
            "adversary": adversary.label if adversary else NO_ADVERSARY,
            "adversary_params": dict(adversary.params) if adversary else {},
            "budget": adversary.amount if adversary else None,
            "axis": self.axis,
            "axis_value": self.axis_value,
        }

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of its record that are known before it runs."""
        known = {"cell": self.cell, **self._cell_fields, "profile": self.profile, "repetition": self.repetition}
        return {**known, "params": dict(self.algorithm.params)}

    @property
    def shown(self) -> str:
        """A short name for people."""
        adversary = f" {self.adversary.label}" if self.adversary else ""
        dataset = dataset_name(self.dataset.label, self.dataset.params)
        point = f" {self.axis}={self.axis_value}"
        return f"{dataset} | {self.algorithm.label} |{adversary}{point} | #{self.repetition}"


MOST_TRIALS = 1_000_000


def expand(loaded: Loaded, registry: Registry, plugins: tuple[str, ...] = ()) -> list[Trial]:
    """All trials of a suite, in an order that lets neighbours share data and fits."""
    suite = loaded.suite
    make = partial(
        Trial,
        suite=suite.name,
        profile=loaded.profile,
        seed=suite.seed,
        metrics=tuple(suite.metrics),
        plugins=plugins,
    )
    trials: list[Trial] = []
    for dataset in _datasets(loaded, registry):
        combinations = list(_combinations(suite, dataset))  # once: repetitions share the cells
        count = len(trials) + dataset.split.total * len(combinations)
        if count > MOST_TRIALS:
            raise SuiteError(f"{loaded.source.path}: {count} trials or more; a suite has at most {MOST_TRIALS}")
        for repetition in range(dataset.split.total):
            trials += [
                make(
                    dataset=cell,
                    repetition=repetition,
                    algorithm=algorithm,
                    adversary=adversary,
                    axis=axis,
                    axis_value=value,
                )
                for cell, algorithm, adversary, axis, value in combinations
            ]
    return trials


def _datasets(loaded: Loaded, registry: Registry) -> Iterator[DatasetCell]:
    suite = loaded.suite
    for position, entry in enumerate(suite.datasets):
        declaration: Dataset = registry.datasets[entry.name]
        variants: Iterable[Mapping[str, Any]] = [entry.params]
        if declaration.expand is not None:
            try:
                variants = declaration.expand(**entry.params)
            except (ValueError, TypeError) as error:
                raise loaded.source.error(["datasets", position], str(error)) from None
        for params in variants:
            yield _dataset_cell(suite, entry, params)


def _dataset_cell(suite: Suite, entry: DatasetEntry, params: Mapping[str, Any]) -> DatasetCell:
    return DatasetCell(
        name=entry.name,
        label=entry.shown,
        params=dict(params),
        group=entry.group,
        split=entry.split or suite.split,
        preprocess=tuple(suite.preprocess if entry.preprocess is None else entry.preprocess),
        feature_values=suite.feature_values if entry.feature_values is None else entry.feature_values,
    )


def _with_param(cell: DatasetCell, axis: str, value: Any) -> DatasetCell:
    params = {**cell.params, axis.partition(".")[2]: value}
    return DatasetCell(cell.name, cell.label, params, cell.group, cell.split, cell.preprocess, cell.feature_values)


Combination = tuple[DatasetCell, AlgorithmCell, AdversaryCell | None, str, Any]


def _combinations(suite: Suite, dataset: DatasetCell) -> Iterator[Combination]:
    algorithms = [entry for entry in suite.algorithms if _applies(entry.datasets, dataset)]
    adversaries = [entry for entry in suite.adversaries if _applies(entry.datasets, dataset)]
    opponents = list(_adversary_cells(adversaries)) if suite.adversaries else [None]
    datasets = _dataset_variants(suite, dataset)
    for algorithm in algorithms:
        cell = AlgorithmCell(algorithm.name, algorithm.shown, dict(algorithm.params), tuple(algorithm.tune))
        for adversary in opponents:
            if suite.axis is None:
                yield dataset, cell, adversary, "budget", None if adversary is None else _axis_value(adversary)
                continue
            target, _, parameter = suite.axis.parameter.partition(".")
            for value, data in zip(suite.axis.values, datasets, strict=True):
                here, there = cell, adversary
                if target == "algorithm":
                    here = AlgorithmCell(cell.name, cell.label, {**cell.params, parameter: value}, cell.tune)
                elif target == "adversary" and adversary is not None:
                    params = {**adversary.params, parameter: value}
                    there = AdversaryCell(adversary.name, adversary.label, params, adversary.amount, adversary.share)
                yield data, here, there, suite.axis.parameter, value


def _dataset_variants(suite: Suite, dataset: DatasetCell) -> list[DatasetCell]:
    """The dataset at each point of the axis."""
    if suite.axis is None:
        return [dataset]
    if not suite.axis.parameter.startswith("dataset."):
        return [dataset] * len(suite.axis.values)
    return [_with_param(dataset, suite.axis.parameter, value) for value in suite.axis.values]


def _applies(datasets: list[str] | None, cell: DatasetCell) -> bool:
    return datasets is None or cell.label in datasets


def _adversary_cells(entries: Iterable[AdversaryEntry]) -> Iterator[AdversaryCell]:
    for entry in entries:
        for budget in entry.budgets:
            share = float(budget.removesuffix("%")) / 100 if isinstance(budget, str) else None
            amount = None if isinstance(budget, str) else float(budget)
            yield AdversaryCell(entry.name, entry.shown, dict(entry.params), amount, share)


def _axis_value(adversary: AdversaryCell) -> float:
    value = adversary.share if adversary.share is not None else adversary.amount
    assert value is not None
    return value


SELECTABLE = ("dataset", "group", "algorithm", "adversary", "repetition", "budget", "axis_value")


class NothingSelectedError(SuiteError):
    """No trial of the suite has a value that was asked for.

    Parameters
    ----------
    key, value : str
    known : iterable of str
        The values that there are.
    """

    def __init__(self, key: str, value: str, known: Iterable[str]) -> None:
        super().__init__(f"--only {key}={value} selects no trial; {key} is one of {', '.join(sorted(known))}")
        self.key, self.value = key, value


def select(trials: Iterable[Trial], only: Mapping[str, str | Sequence[str]]) -> list[Trial]:
    """The trials whose fields equal the given ones.

    Parameters
    ----------
    only : mapping of str to str, or to a sequence of them
        Field (one of `SELECTABLE`, or ``dataset.PARAM``) to its value, or to several of which it has one; compared as
        text or as numbers.
    """
    trials = list(trials)
    for key, values in only.items():
        if key not in SELECTABLE and not key.startswith("dataset."):
            raise SuiteError(f"--only {key}: unknown field; known: {', '.join(SELECTABLE)}, dataset.PARAM")
        seen = {str(_value(trial, key)) for trial in trials}
        chosen = []
        for wanted in [values] if isinstance(values, str) else values:
            found = [trial for trial in trials if _same(_value(trial, key), wanted)]
            if not found:
                raise NothingSelectedError(key, wanted, seen)
            chosen += found
        kept = set(map(id, chosen))
        trials = [trial for trial in trials if id(trial) in kept]
    return trials


def _value(trial: Trial, key: str) -> Any:
    if key.startswith("dataset."):
        return trial.dataset.params.get(key.partition(".")[2])
    return trial.fields[key]


def _same(value: Any, wanted: str) -> bool:
    if str(value) == wanted:
        return True
    try:
        return float(value) == float(wanted)
    except (TypeError, ValueError):
        return False
