"""From a validated suite to its trials, with what joins it by ``--add NAME`` or by a file given by ``--plugin``.

An algorithm joins on every dataset of a task it does, its default grid tuned on corrupted validation data where there
is a validation part; a dataset joins beside the first one, and whatever runs on that runs on it; an adversary joins
with shares of what it could take at most; a metric joins the metrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchkit.errors import RequestError
from benchkit.plugin.declarations import Dataset
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.suite.load import Loaded
from benchkit.suite.names import share_of
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry, DatasetEntry, Tune
from benchkit.suite.source import SuiteError
from benchkit.suite.trial import PlannedAdversary, PlannedAlgorithm, PlannedDataset, Trial
from benchkit.suite.whole_suite import Suite

MOST_TRIALS = 1_000_000


def expand(loaded: Loaded, registry: Registry, plugins: tuple[str, ...] = ()) -> list[Trial]:
    """All trials of a suite, in an order that lets neighbours share data and fits."""
    suite, start = loaded.suite, 0
    trials: list[Trial] = []
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
            repeated = ((n, trial) for n in range(dataset.split.total) for trial in combinations)
            trials += [replace(trial, repetition=n, position=at) for at, (n, trial) in enumerate(repeated, start)]
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
    attacks: list[PlannedAdversary | None] = [] if suite.adversaries else [None]
    for entry in suite.adversaries:
        if entry.datasets is None or dataset.label in entry.datasets:
            for budget in entry.budgets:
                amount, share = (None, share_of(budget)) if isinstance(budget, str) else (float(budget), None)
                attacks.append(PlannedAdversary(entry.name, entry.display_name, dict(entry.params), amount, share))
    adversaries = [(attack, along(attack, "adversary")) for attack in attacks]
    for method in suite.algorithms:
        if method.datasets is not None and dataset.label not in method.datasets:
            continue
        by_budget: dict[float | None, list[PlannedAlgorithm]] = {}  # one object for all where no grid asks for it
        bounded = any(stage.bounded for stage in method.tune)
        for adversary, at_points in adversaries:
            bound = adversary.amount if bounded and adversary is not None else None
            if bound not in by_budget:
                tune = tuple(stage if bound is None else stage.at_budget(bound) for stage in method.tune)
                params = dict(method.params)
                planned = PlannedAlgorithm(method.name, method.display_name, params, tune, suite.tuning_seconds)
                by_budget[bound] = along(planned, "algorithm")
            points = zip(values, datasets, by_budget[bound], at_points, strict=True)
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


# Datasets first, for algorithms are tried on all of them.
_KINDS = ("datasets", "adversaries", "algorithms", "metrics")


def join(loaded: Loaded, registry: Registry, names: Iterable[str] = (), files: Sequence[str] = ()) -> Loaded:
    """A suite with more taking part: what has these names, or an `UnknownNameError`, and what plugin files declare.

    All that a file declares joins, unless the suite names something of it already: then its author has said what of it
    is to run.
    """
    catalogues = {kind: registry.catalogue(kind) for kind in _KINDS}
    suite = loaded.suite
    joining = []
    for name in names:
        kinds = [kind for kind, catalogue in catalogues.items() if name in catalogue]
        if not kinds:
            raise UnknownNameError("name", name, [each for catalogue in catalogues.values() for each in catalogue])
        joining += [(kind, name) for kind in kinds]
    for file in files:
        plugins = {name for name, path in registry.plugins.items() if path == file}
        declared = [
            (kind, each.name)
            for kind, own in catalogues.items()
            for each in own.values()
            if each.declared_by in plugins
        ]
        if not any(name in _named(suite, kind) for kind, name in declared):
            joining += declared
    for kind, name in joining:
        if name not in _named(suite, kind):
            suite = suite.model_copy(update=_with(suite, registry, kind, name))
    return replace(loaded, suite=suite)


def _named(suite: Suite, kind: str) -> set[str]:
    if kind == "metrics":
        return {*suite.metrics, *(stage.metric for entry in suite.algorithms for stage in entry.tune if stage.metric)}
    return {entry.name for entry in getattr(suite, kind)}


def _with(suite: Suite, registry: Registry, kind: str, name: str) -> dict[str, Any]:
    """The keys of a suite that change where something joins it."""
    if kind == "metrics":
        return {kind: [*suite.metrics, name]}
    if kind == "algorithms":
        method = registry.algorithms[name]
        labels: dict[bool, list[str]] = {True: [], False: []}  # of the datasets, by whether it is tuned there
        for dataset in suite.datasets:
            if dataset.name not in registry.datasets or registry.datasets[dataset.name].task in method.tasks:
                tunes = method.grid is not None and (dataset.split or suite.split).validation is not None
                labels[tunes].append(dataset.display_name)
        entries = [
            AlgorithmEntry(name=name, tune=[Tune(data="corrupted")] if tuned else [], datasets=datasets)
            for tuned, datasets in labels.items()
            if datasets
        ]
        return {kind: [*suite.algorithms, *entries]}
    if kind == "adversaries":
        declared = registry.adversaries[name]
        unit = UNITS[declared.budget_unit]
        budgets = ["0%", "10%", "25%", "50%"] if unit.takes_shares else [*unit.amounts]
        return {kind: [*suite.adversaries, AdversaryEntry(name=name, params=dict(declared.example), budgets=budgets)]}
    first, *_ = suite.datasets
    changed = {kind: [*suite.datasets, DatasetEntry(name=name, split=first.split, preprocess=first.preprocess)]}
    for other in ("algorithms", "adversaries"):  # entries that are for the first dataset are for the new one, too
        changed[other] = [
            entry.model_copy(update={"datasets": [*entry.datasets, name]})
            if first.display_name in (entry.datasets or ())
            else entry
            for entry in getattr(suite, other)
        ]
    return changed
