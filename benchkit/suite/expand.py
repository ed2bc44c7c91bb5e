"""From a validated suite to its trials, with what joins it by ``--add NAME`` or by a file given by ``--plugin``.

An algorithm joins on every dataset of a task it does, its default grid tuned on corrupted validation data where there
is a validation part; a dataset joins beside the first one, and whatever runs on that runs on it; an adversary joins
with shares of what it could take at most; a metric joins the metrics.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchkit.errors import RequestError
from benchkit.plugin.declarations import Dataset
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.suite.claims import Claim
from benchkit.suite.load import Loaded
from benchkit.suite.names import NO_ADVERSARY, share_of
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry, DatasetEntry, Repetitions, Tune
from benchkit.suite.source import SuiteError
from benchkit.suite.trial import PlannedAdversary, PlannedAlgorithm, PlannedDataset, Trial
from benchkit.suite.whole_suite import Suite

MOST_TRIALS = 1_000_000


def expand(loaded: Loaded, registry: Registry, plugins: tuple[str, ...] = ()) -> list[Trial]:
    """All trials of a suite, in an order that lets neighbours share data and fits.

    That is by dataset, repetition, algorithm, budget and axis value. Trials of one dataset, of one algorithm or of one
    adversary share an object, and what is cached on it.
    """
    suite, axis, start = loaded.suite, loaded.suite.axis, 0
    target, _, parameter = axis.parameter.partition(".") if axis else ("", "", "")
    of_suite: dict[str, Any] = {"suite": suite.name, "profile": loaded.profile, "seed": suite.seed, "repetition": 0}
    of_suite |= {"axis": axis.parameter if axis else "budget", "metrics": tuple(suite.metrics), "plugins": plugins}
    unattacked = any(NO_ADVERSARY in (claim.adversaries or ()) for claim in suite.expect)
    trials: list[Trial] = []
    for position, entry in enumerate(suite.datasets):
        try:
            datasets = planned_datasets(suite, entry, registry.datasets[entry.name])
        except (ValueError, TypeError) as error:
            raise loaded.source.error(["datasets", position], str(error)) from None
        attacks: list[PlannedAdversary | None] = [] if suite.adversaries and not unattacked else [None]
        for attacked_by in suite.adversaries:
            if attacked_by.datasets is None or entry.display_name in attacked_by.datasets:
                for budget in attacked_by.budgets:
                    amount, share = (None, share_of(budget)) if isinstance(budget, str) else (float(budget), None)
                    name, label, params = attacked_by.name, attacked_by.display_name, dict(attacked_by.params)
                    attacks.append(PlannedAdversary(name, label, params, amount, share))
        combinations: list[tuple[PlannedAlgorithm, PlannedAdversary | None]] = []
        for method in suite.algorithms:
            if method.datasets is not None and entry.display_name not in method.datasets:
                continue
            by_budget: dict[float | None, PlannedAlgorithm] = {}  # one object for all where no grid asks for it
            for attack in attacks:
                bound = attack.amount if attack is not None and any(stage.bounded for stage in method.tune) else None
                if bound not in by_budget:
                    tune = tuple(stage if bound is None else stage.at_budget(bound) for stage in method.tune)
                    named = method.name, method.display_name, dict(method.params)
                    by_budget[bound] = PlannedAlgorithm(*named, tune, suite.tuning_seconds)
                combinations.append((by_budget[bound], attack))
        for dataset in datasets:
            at_value: dict[tuple[int, int], Any] = {}  # what the axis changes, by what it was and the place on it
            points: list[Trial] = []
            for algorithm, adversary in combinations:
                for place, value in enumerate(axis.values if axis else [None]):
                    parts: dict[str, Any] = {"dataset": dataset, "algorithm": algorithm, "adversary": adversary}
                    if (part := parts.get(target)) is not None:
                        if (key := (id(part), place)) not in at_value:
                            at_value[key] = replace(part, params={**part.params, parameter: value})
                        parts[target] = at_value[key]
                    parts["axis_value"] = value if axis or adversary is None else adversary.budget
                    points.append(Trial(**of_suite, **parts))
            split = dataset.split
            most = split.repetitions.most if isinstance(split.repetitions, Repetitions) else split.total
            end = start + most * len(points)
            if end > MOST_TRIALS:
                raise SuiteError(f"{loaded.source.path}: {end} trials or more; a suite has at most {MOST_TRIALS}")
            repeated = ((repetition, trial) for repetition in range(split.total) for trial in points)
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
    name, label, group, split = entry.name, entry.display_name, entry.group, entry.split or suite.split
    steps = tuple(suite.preprocess if entry.preprocess is None else entry.preprocess)
    values = suite.feature_values if entry.feature_values is None else entry.feature_values
    return [PlannedDataset(name, label, dict(params), group, split, steps, values) for params in variants]


# Datasets and adversaries first, for algorithms are tried, and tuned, on all of them.
_KINDS = ("datasets", "adversaries", "algorithms", "metrics")


def join(loaded: Loaded, registry: Registry, names: Iterable[str] = (), files: Sequence[str] = ()) -> Loaded:
    """A suite with more taking part: what has these names, or an `UnknownNameError`, and what plugin files declare.

    All that a file declares joins, unless the suite, or ``names``, names something of it already: then its author has
    said what of it is to run. The suite's claims go on speaking of the datasets and adversaries that it has itself.
    """
    names = list(names)
    catalogues = {kind: registry.catalogue(kind) for kind in _KINDS}
    suite = loaded.suite
    joining = []
    for name in names:
        kinds = [kind for kind, catalogue in catalogues.items() if name in catalogue]
        if not kinds:
            raise UnknownNameError("name", name, [each for catalogue in catalogues.values() for each in catalogue])
        joining += [(kind, name) for kind in kinds]
    for file in files:
        declared = _declared(registry, file)
        if not any(name in names or name in _named(suite, kind) for kind, name in declared):
            joining += declared
    for kind, name in sorted(joining, key=lambda joins: _KINDS.index(joins[0])):
        if name not in _named(suite, kind):
            suite = suite.model_copy(update=_with(suite, registry, kind, name))
    claims = [claim.model_copy(update=_own_conditions(claim, loaded.suite, suite)) for claim in suite.expect]
    return replace(loaded, suite=suite.model_copy(update={"expect": claims}))


def _own_conditions(claim: Claim, own: Suite, joined: Suite) -> dict[str, list[str]]:
    """By name what a claim speaks of all of, where more has joined."""
    conditions = {}
    if claim.datasets is None and claim.groups is None and len(joined.datasets) > len(own.datasets):
        entries = [entry for entry in own.algorithms if entry.display_name in claim.algorithms]
        labels = [entry.display_name for entry in own.datasets]
        conditions["datasets"] = [name for name in labels if any(name in (e.datasets or labels) for e in entries)]
    if claim.adversaries is None and len(joined.adversaries) > len(own.adversaries):
        spoken_of = {
            entry.display_name
            for entry in own.datasets
            if (claim.datasets is None or entry.display_name in claim.datasets)
            and (claim.groups is None or entry.group in claim.groups)
        }
        attacks = [entry for entry in own.adversaries if spoken_of.intersection(entry.datasets or spoken_of)]
        conditions["adversaries"] = [entry.display_name for entry in attacks] if own.adversaries else [NO_ADVERSARY]
    return conditions


def _declared(registry: Registry, file: str) -> list[tuple[str, str]]:
    """Kinds and names of what a plugin file declares."""
    plugins = {name for name, path in registry.plugins.items() if path == file}
    of_kinds = ((kind, each) for kind in _KINDS for each in registry.catalogue(kind).values())
    return [(kind, each.name) for kind, each in of_kinds if each.declared_by in plugins]


def left_out(loaded: Loaded, registry: Registry, file: str) -> list[str]:
    """The methods of a plugin file of which none takes part, as the suite names something else of it."""
    methods = [name for kind, name in _declared(registry, file) if kind == "algorithms"]
    return [] if _named(loaded.suite, "algorithms").intersection(methods) else methods


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
        entries = [*suite.algorithms]
        labels: dict[bool, list[str]] = {True: [], False: []}  # of the datasets, by whether it is tuned there
        for dataset in suite.datasets:
            if dataset.name not in registry.datasets or registry.datasets[dataset.name].task in method.tasks:
                tunes = method.grid is not None and (dataset.split or suite.split).validation is not None
                labels[tunes].append(dataset.display_name)
        for tuned, datasets in labels.items():
            if datasets:
                stages = [Tune(data="corrupted" if suite.adversaries else "clean")] if tuned else []
                entries.append(AlgorithmEntry(name=name, tune=stages, datasets=datasets))
        return {kind: entries}
    if kind == "adversaries":
        declared = registry.adversaries[name]
        unit = UNITS[declared.budget_unit]
        budgets = ["0%", "10%", "25%", "50%"] if unit.takes_shares else [*unit.amounts]
        return {kind: [*suite.adversaries, AdversaryEntry(name=name, params=dict(declared.example), budgets=budgets)]}
    first, *_ = suite.datasets
    entry = DatasetEntry(name=name, split=first.split, preprocess=first.preprocess)
    changed: dict[str, list[Any]] = {kind: [*suite.datasets, entry]}
    for other in ("algorithms", "adversaries"):  # entries that are for the first dataset are for the new one, too
        changed[other] = [*getattr(suite, other)]
        for place, entry in enumerate(changed[other]):
            if first.display_name in (entry.datasets or ()):
                changed[other][place] = entry.model_copy(update={"datasets": [*entry.datasets, name]})
    return changed
