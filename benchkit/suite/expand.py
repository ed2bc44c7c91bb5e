"""From a validated suite to its trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchkit.errors import RequestError
from benchkit.plugin.declarations import Dataset
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry
from benchkit.suite.load import Loaded
from benchkit.suite.names import share_of
from benchkit.suite.schema import AlgorithmEntry, DatasetEntry
from benchkit.suite.source import SuiteError
from benchkit.suite.trial import PlannedAdversary, PlannedAlgorithm, PlannedDataset, Trial
from benchkit.suite.whole_suite import Suite

MOST_TRIALS = 1_000_000


@dataclass(frozen=True)
class Block:
    """All that runs on one dataset of a suite, which repetitions share."""

    combinations: tuple[Trial, ...]  # its trials of repetition 0
    planned: int  # repetitions of a plain run
    most: int  # repetitions that there can be
    start: int  # place of the first trial among all that there can be in the suite

    def at(self, repetition: int) -> list[Trial]:
        """The trials of a repetition."""
        return [replace(trial, repetition=repetition) for trial in self.combinations]

    def place(self, repetition: int) -> int:
        """Place of the first trial of a repetition among all that there can be."""
        return self.start + repetition * len(self.combinations)


def expand(loaded: Loaded, registry: Registry, plugins: tuple[str, ...] = ()) -> list[Trial]:
    """All trials of a suite, in an order that lets neighbours share data and fits."""
    return planned_trials(blocks(loaded, registry, plugins))


def planned_trials(made: Iterable[Block]) -> list[Trial]:
    """All trials of a plain run."""
    return [trial for block in made for repetition in range(block.planned) for trial in block.at(repetition)]


def blocks(loaded: Loaded, registry: Registry, plugins: tuple[str, ...] = ()) -> list[Block]:
    """What a suite runs, dataset by dataset."""
    suite = loaded.suite
    made: list[Block] = []
    count = 0
    for position, entry in enumerate(suite.datasets):
        try:
            datasets = planned_datasets(suite, entry, registry.datasets[entry.name])
        except (ValueError, TypeError) as error:
            raise loaded.source.error(["datasets", position], str(error)) from None
        for dataset in datasets:
            combinations = tuple(_trials(loaded, dataset, plugins))
            made.append(Block(combinations, dataset.split.total, dataset.split.most, count))
            count += dataset.split.most * len(combinations)
            if count > MOST_TRIALS:
                raise SuiteError(f"{loaded.source.path}: {count} trials or more; a suite has at most {MOST_TRIALS}")
    return made


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
    return [
        PlannedDataset(
            name=entry.name,
            label=entry.display_name,
            params=dict(params),
            group=entry.group,
            split=entry.split or suite.split,
            preprocess=tuple(suite.preprocess if entry.preprocess is None else entry.preprocess),
            feature_values=suite.feature_values if entry.feature_values is None else entry.feature_values,
        )
        for params in variants
    ]


def _trials(loaded: Loaded, dataset: PlannedDataset, plugins: tuple[str, ...]) -> Iterator[Trial]:
    """The trials of repetition 0 on a dataset: algorithm by algorithm, budget by budget, along the axis.

    Trials of one dataset, and of one algorithm, share an object, and what is cached on it.
    """
    suite, axis = loaded.suite, loaded.suite.axis
    target, _, parameter = axis.parameter.partition(".") if axis else ("", "", "")
    values = axis.values if axis else [None]

    def along(planned: Any, kind: str) -> list[Any]:
        """What is planned at each value of the axis."""
        if kind != target or planned is None:
            return [planned] * len(values)
        return [replace(planned, params={**planned.params, parameter: value}) for value in values]

    datasets = along(dataset, "dataset")
    adversaries = list(_planned_adversaries(suite, dataset))
    for entry in suite.algorithms:
        if entry.datasets is not None and dataset.label not in entry.datasets:
            continue
        by_budget = _planned_by_budget(entry, suite.tuning_seconds, adversaries)
        for adversary, algorithm in zip(adversaries, by_budget, strict=True):
            points = zip(values, datasets, along(algorithm, "algorithm"), along(adversary, "adversary"), strict=True)
            for value, at_dataset, at_algorithm, at_adversary in points:
                yield Trial(
                    suite=suite.name,
                    profile=loaded.profile,
                    seed=suite.seed,
                    dataset=at_dataset,
                    repetition=0,
                    algorithm=at_algorithm,
                    adversary=at_adversary,
                    axis=axis.parameter if axis else "budget",
                    axis_value=value if axis or adversary is None else adversary.budget,
                    metrics=tuple(suite.metrics),
                    plugins=plugins,
                )


def _planned_by_budget(
    entry: AlgorithmEntry, tuning_seconds: float | None, adversaries: list[PlannedAdversary | None]
) -> Iterator[PlannedAlgorithm]:
    """What is planned of an algorithm under each adversary: one object for all where no grid asks for the budget."""
    bounded = any(stage.bounded for stage in entry.tune)
    made: dict[float | None, PlannedAlgorithm] = {}
    for adversary in adversaries:
        budget = adversary.amount if bounded and adversary is not None else None
        if budget not in made:
            tune = tuple(stage if budget is None else stage.at_budget(budget) for stage in entry.tune)
            made[budget] = PlannedAlgorithm(entry.name, entry.display_name, dict(entry.params), tune, tuning_seconds)
        yield made[budget]


def _planned_adversaries(suite: Suite, dataset: PlannedDataset) -> Iterator[PlannedAdversary | None]:
    """Each adversary at each of its budgets; None once where the suite has no adversaries."""
    if not suite.adversaries:
        yield None
    for entry in suite.adversaries:
        if entry.datasets is None or dataset.label in entry.datasets:
            for budget in entry.budgets:
                amount, share = (None, share_of(budget)) if isinstance(budget, str) else (float(budget), None)
                yield PlannedAdversary(entry.name, entry.display_name, dict(entry.params), amount, share)
