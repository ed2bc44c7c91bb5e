"""From a validated suite to its trials."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from benchkit.plugin.declarations import Dataset
from benchkit.plugin.manager import Registry
from benchkit.suite.loaded import Loaded
from benchkit.suite.names import NO_ADVERSARY, dataset_name, digest, portable_params, values_name
from benchkit.suite.schema import AdversaryEntry, DatasetEntry, Split, Suite, Tune, ValuesEntry
from benchkit.suite.source import SuiteError


@dataclass(frozen=True)
class DatasetCell:
    """A dataset with all its parameters, and how its rows and columns are prepared."""

    name: str
    label: str
    params: Mapping[str, Any]
    group: str | None
    split: Split
    preprocess: tuple[str | dict[str, Any], ...]
    feature_values: ValuesEntry

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides the data of a repetition, and the streams it is drawn from.

        Of a user's file the name, not the folder: it may move. Its content is part of a trial's id.
        """
        return {"name": self.name, "params": portable_params(self.params)}

    @cached_property
    def values_name(self) -> str:
        """What records say of the feature values; a list is in the run's manifest, once."""
        return values_name(self.feature_values)

    @cached_property
    def protocol(self) -> dict[str, Any]:
        """What decides how the data is prepared."""
        return {
            "split": self.split.identity,
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
    tuning_seconds: float | None = None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides which estimator is fitted."""
        tune = [stage.identity for stage in self.tune]
        limit = {} if self.tuning_seconds is None or not tune else {"tuning_seconds": self.tuning_seconds}
        return {"name": self.name, "label": self.label, "params": self.params, "tune": tune, **limit}


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


@dataclass(frozen=True, slots=True)
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

    @property
    def cell(self) -> str:
        """Identifies the repetitions of one combination."""
        return digest(self._cell_fields, 12)

    @property
    def _cell_fields(self) -> dict[str, Any]:
        adversary = self.adversary
        return {
            "suite": self.suite,
            "dataset": self.dataset.label,
            "dataset_params": dict(self.dataset.params),
            "group": self.dataset.group,
            "feature_values": self.dataset.values_name,
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
    def display_name(self) -> str:
        """A short name for people."""
        adversary = f" {self.adversary.label}" if self.adversary else ""
        dataset = dataset_name(self.dataset.label, self.dataset.params)
        point = f" {self.axis}={self.axis_value}"
        return f"{dataset} | {self.algorithm.label} |{adversary}{point} | #{self.repetition}"


MOST_TRIALS = 1_000_000


@dataclass(frozen=True)
class Block:
    """All that runs on one dataset of a suite, which repetitions share.

    Attributes
    ----------
    combinations : tuple of Trial
        Its trials of repetition 0.
    planned : int
        Repetitions of a plain run.
    most : int
        Repetitions that there can be.
    start : int
        Place of the first trial among all that there can be in the suite.
    """

    combinations: tuple[Trial, ...]
    planned: int
    most: int
    start: int

    def at(self, repetition: int) -> list[Trial]:
        """The trials of a repetition."""
        return [replace(trial, repetition=repetition) for trial in self.combinations]

    def place(self, repetition: int) -> int:
        """Place of the first trial of a repetition among all that there can be."""
        return self.start + repetition * len(self.combinations)


def blocks(loaded: Loaded, registry: Registry, plugins: tuple[str, ...] = ()) -> list[Block]:
    """What a suite runs, dataset by dataset."""
    suite = loaded.suite
    make = partial(
        Trial,
        suite=suite.name,
        profile=loaded.profile,
        seed=suite.seed,
        repetition=0,
        metrics=tuple(suite.metrics),
        plugins=plugins,
    )
    made: list[Block] = []
    count = 0
    for dataset in _datasets(loaded, registry):
        combinations = tuple(
            make(dataset=cell, algorithm=algorithm, adversary=adversary, axis=axis, axis_value=value)
            for cell, algorithm, adversary, axis, value in _combinations(suite, dataset)
        )
        made.append(Block(combinations, dataset.split.total, dataset.split.most, count))
        count += dataset.split.most * len(combinations)
        if count > MOST_TRIALS:
            raise SuiteError(f"{loaded.source.path}: {count} trials or more; a suite has at most {MOST_TRIALS}")
    return made


def expand(loaded: Loaded, registry: Registry, plugins: tuple[str, ...] = ()) -> list[Trial]:
    """All trials of a suite, in an order that lets neighbours share data and fits."""
    return planned_trials(blocks(loaded, registry, plugins))


def planned_trials(made: Iterable[Block]) -> list[Trial]:
    """All trials of a plain run."""
    return [trial for block in made for repetition in range(block.planned) for trial in block.at(repetition)]


def _datasets(loaded: Loaded, registry: Registry) -> Iterator[DatasetCell]:
    suite = loaded.suite
    for position, entry in enumerate(suite.datasets):
        try:
            yield from dataset_cells(suite, entry, registry.datasets[entry.name])
        except (ValueError, TypeError) as error:
            raise loaded.source.error(["datasets", position], str(error)) from None


def dataset_cells(suite: Suite, entry: DatasetEntry, declaration: Dataset) -> list[DatasetCell]:
    """The cells of a dataset entry: one for each of the variants that its declaration makes of the parameters.

    Raises
    ------
    ValueError, TypeError
        The parameters do not go together.
    """
    variants: Iterable[Mapping[str, Any]] = [entry.params]
    if declaration.expand is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # the inspection tells it, with its place
            variants = list(declaration.expand(**entry.params))
    return [_dataset_cell(suite, entry, params) for params in variants]


def _dataset_cell(suite: Suite, entry: DatasetEntry, params: Mapping[str, Any]) -> DatasetCell:
    return DatasetCell(
        name=entry.name,
        label=entry.display_name,
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
    attackers = list(_adversary_cells(adversaries)) if suite.adversaries else [None]
    datasets = _dataset_variants(suite, dataset)
    for algorithm in algorithms:
        stages, seconds = tuple(algorithm.tune), suite.tuning_seconds
        cell = AlgorithmCell(algorithm.name, algorithm.display_name, dict(algorithm.params), stages, seconds)
        for adversary in attackers:
            if suite.axis is None:
                yield dataset, cell, adversary, "budget", None if adversary is None else _axis_value(adversary)
                continue
            target, _, parameter = suite.axis.parameter.partition(".")
            for value, data in zip(suite.axis.values, datasets, strict=True):
                here, there = cell, adversary
                if target == "algorithm":
                    here = replace(cell, params={**cell.params, parameter: value})
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
            yield AdversaryCell(entry.name, entry.display_name, dict(entry.params), amount, share)


def _axis_value(adversary: AdversaryCell) -> float:
    value = adversary.share if adversary.share is not None else adversary.amount
    assert value is not None
    return value
