"""Letting what a suite does not name take part in it: ``--add NAME``, and what a file given by ``--plugin`` declares.

An algorithm joins on every dataset of a task it does, its default grid tuned on corrupted validation data where there
is a validation part; a dataset joins beside the first one, and whatever runs on that runs on it; an adversary joins
with shares of what it could take at most; a metric joins the metrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.suite.load import Loaded
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry, DatasetEntry, Tune
from benchkit.suite.whole_suite import Suite

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
        declared = [(kind, name) for kind, own in catalogues.items() for name in own if own.origin[name] in plugins]
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
        return {kind: [*suite.algorithms, *_algorithm_entries(suite, registry, name)]}
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


def _algorithm_entries(suite: Suite, registry: Registry, name: str) -> list[AlgorithmEntry]:
    """An entry for the datasets that it is tuned on, and one for the others."""
    declared = registry.algorithms[name]
    labels: dict[bool, list[str]] = {True: [], False: []}  # by whether it is tuned there
    for dataset in suite.datasets:
        if dataset.name not in registry.datasets or registry.datasets[dataset.name].task in declared.tasks:
            split = dataset.split or suite.split
            labels[declared.grid is not None and split.validation is not None].append(dataset.display_name)
    return [
        AlgorithmEntry(name=name, tune=[Tune(data="corrupted")] if tuned else [], datasets=datasets)
        for tuned, datasets in labels.items()
        if datasets
    ]
