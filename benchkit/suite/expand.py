"""From a validated suite to its trials."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from benchkit.errors import RequestError
from benchkit.plugin.declarations import Dataset
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry
from benchkit.suite.load import Loaded
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry, DatasetEntry
from benchkit.suite.source import SuiteError
from benchkit.suite.trial import PlannedAdversary, PlannedAlgorithm, PlannedDataset, Trial
from benchkit.suite.whole_suite import Suite

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
            make(dataset=variant, algorithm=algorithm, adversary=adversary, axis=axis, axis_value=value)
            for variant, algorithm, adversary, axis, value in _combinations(suite, dataset)
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


def _datasets(loaded: Loaded, registry: Registry) -> Iterator[PlannedDataset]:
    suite = loaded.suite
    for position, entry in enumerate(suite.datasets):
        try:
            yield from planned_datasets(suite, entry, registry.datasets[entry.name])
        except (ValueError, TypeError) as error:
            raise loaded.source.error(["datasets", position], str(error)) from None


def planned_datasets(suite: Suite, entry: DatasetEntry, declaration: Dataset) -> list[PlannedDataset]:
    """The datasets of an entry: one for each of the variants that its declaration makes of the parameters.

    Raises
    ------
    ValueError, TypeError
        The parameters do not go together.
    """
    variants: Iterable[Mapping[str, Any]] = [entry.params]
    if declaration.expand is not None:
        with guarded(f"{of(declaration)}: expand", passing=(ValueError, TypeError), raising=RequestError):
            variants = list(declaration.expand(**entry.params))
    return [_planned_dataset(suite, entry, params) for params in variants]


def _planned_dataset(suite: Suite, entry: DatasetEntry, params: Mapping[str, Any]) -> PlannedDataset:
    return PlannedDataset(
        name=entry.name,
        label=entry.display_name,
        params=dict(params),
        group=entry.group,
        split=entry.split or suite.split,
        preprocess=tuple(suite.preprocess if entry.preprocess is None else entry.preprocess),
        feature_values=suite.feature_values if entry.feature_values is None else entry.feature_values,
    )


def _with_param(dataset: PlannedDataset, axis: str, value: Any) -> PlannedDataset:
    return replace(dataset, params={**dataset.params, axis.partition(".")[2]: value})


Combination = tuple[PlannedDataset, PlannedAlgorithm, PlannedAdversary | None, str, Any]


def _combinations(suite: Suite, dataset: PlannedDataset) -> Iterator[Combination]:
    algorithms = [entry for entry in suite.algorithms if _applies(entry.datasets, dataset)]
    adversaries = [entry for entry in suite.adversaries if _applies(entry.datasets, dataset)]
    attackers = list(_planned_adversaries(adversaries)) if suite.adversaries else [None]
    datasets = _dataset_variants(suite, dataset)
    for algorithm in algorithms:
        at_budget = _planned_by_budget(algorithm, suite.tuning_seconds)
        for adversary in attackers:
            planned = at_budget(None if adversary is None else adversary.amount)
            if suite.axis is None:
                yield dataset, planned, adversary, "budget", None if adversary is None else _axis_value(adversary)
                continue
            target, _, parameter = suite.axis.parameter.partition(".")
            for value, data in zip(suite.axis.values, datasets, strict=True):
                here, there = planned, adversary
                if target == "algorithm":
                    here = replace(planned, params={**planned.params, parameter: value})
                elif target == "adversary" and adversary is not None:
                    there = replace(adversary, params={**adversary.params, parameter: value})
                yield data, here, there, suite.axis.parameter, value


def _planned_by_budget(
    entry: AlgorithmEntry, tuning_seconds: float | None
) -> Callable[[float | None], PlannedAlgorithm]:
    """What is planned of an algorithm at a budget: one object for all budgets where its grid does not ask for them."""

    @cache
    def with_stages(budget: float | None) -> PlannedAlgorithm:
        tune = tuple(entry.tune) if budget is None else tuple(stage.at_budget(budget) for stage in entry.tune)
        return PlannedAlgorithm(entry.name, entry.display_name, dict(entry.params), tune, tuning_seconds)

    asks = any(stage.bounded for stage in entry.tune)
    return lambda budget: with_stages(budget if asks else None)


def _dataset_variants(suite: Suite, dataset: PlannedDataset) -> list[PlannedDataset]:
    """The dataset at each point of the axis."""
    if suite.axis is None:
        return [dataset]
    if not suite.axis.parameter.startswith("dataset."):
        return [dataset] * len(suite.axis.values)
    return [_with_param(dataset, suite.axis.parameter, value) for value in suite.axis.values]


def _applies(datasets: list[str] | None, dataset: PlannedDataset) -> bool:
    return datasets is None or dataset.label in datasets


def _planned_adversaries(entries: Iterable[AdversaryEntry]) -> Iterator[PlannedAdversary]:
    for entry in entries:
        for budget in entry.budgets:
            share = float(budget.removesuffix("%")) / 100 if isinstance(budget, str) else None
            amount = None if isinstance(budget, str) else float(budget)
            yield PlannedAdversary(entry.name, entry.display_name, dict(entry.params), amount, share)


def _axis_value(adversary: PlannedAdversary) -> float:
    value = adversary.share if adversary.share is not None else adversary.amount
    assert value is not None
    return value
