"""From a validated suite to its trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from benchkit.errors import RequestError
from benchkit.plugin.declarations import Dataset
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry
from benchkit.suite.load import Loaded
from benchkit.suite.names import share_of
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import SuiteError
from benchkit.suite.trial import PlannedAdversary, PlannedAlgorithm, PlannedDataset, Trial
from benchkit.suite.whole_suite import Suite

MOST_TRIALS = 1_000_000


def expand(loaded: Loaded, registry: Registry, plugins: tuple[str, ...] = ()) -> list[Trial]:
    """All trials of a suite, in an order that lets neighbours share data and fits."""
    return [trial for _, trial in placed_trials(loaded, registry, plugins)]


def placed_trials(loaded: Loaded, registry: Registry, plugins: tuple[str, ...] = ()) -> list[tuple[int, Trial]]:
    """The trials of `expand`, each with its place among all that there can be, for repetitions may go on."""
    suite, start = loaded.suite, 0
    trials: list[tuple[int, Trial]] = []
    for position, entry in enumerate(suite.datasets):
        try:
            datasets = planned_datasets(suite, entry, registry.datasets[entry.name])
        except (ValueError, TypeError) as error:
            raise loaded.source.error(["datasets", position], str(error)) from None
        for dataset in datasets:
            combinations = list(_trials(loaded, dataset, plugins))
            end = start + dataset.split.most * len(combinations)
            if end > MOST_TRIALS:
                raise SuiteError(f"{loaded.source.path}: {end} trials or more; a suite has at most {MOST_TRIALS}")
            repeated = (replace(trial, repetition=n) for n in range(dataset.split.total) for trial in combinations)
            trials += enumerate(repeated, start)
            start = end
    return trials


def planned_datasets(suite: Suite, entry: DatasetEntry, declaration: Dataset) -> list[PlannedDataset]:
    """The datasets of an entry: one for each of the variants that its declaration makes of the parameters.

    A `ValueError` or `TypeError` where these do not go together.
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
    adversaries = [(planned, along(planned, "adversary")) for planned in _planned_adversaries(suite, dataset)]
    for entry in suite.algorithms:
        if entry.datasets is not None and dataset.label not in entry.datasets:
            continue
        by_budget: dict[float | None, list[PlannedAlgorithm]] = {}  # one object for all where no grid asks for it
        bounded = any(stage.bounded for stage in entry.tune)
        for adversary, at_points in adversaries:
            budget = adversary.amount if bounded and adversary is not None else None
            if budget not in by_budget:
                tune = tuple(stage if budget is None else stage.at_budget(budget) for stage in entry.tune)
                params = dict(entry.params)
                planned = PlannedAlgorithm(entry.name, entry.display_name, params, tune, suite.tuning_seconds)
                by_budget[budget] = along(planned, "algorithm")
            points = zip(values, datasets, by_budget[budget], at_points, strict=True)
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


def _planned_adversaries(suite: Suite, dataset: PlannedDataset) -> Iterator[PlannedAdversary | None]:
    """Each adversary at each of its budgets; None once where the suite has no adversaries."""
    if not suite.adversaries:
        yield None
    for entry in suite.adversaries:
        if entry.datasets is None or dataset.label in entry.datasets:
            for budget in entry.budgets:
                amount, share = (None, share_of(budget)) if isinstance(budget, str) else (float(budget), None)
                yield PlannedAdversary(entry.name, entry.display_name, dict(entry.params), amount, share)
