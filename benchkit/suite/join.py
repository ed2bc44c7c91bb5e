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

_SHARES: list[int | float | str] = ["0%", "10%", "25%", "50%"]


def join(loaded: Loaded, registry: Registry, names: Iterable[str] = (), files: Sequence[str] = ()) -> Loaded:
    """A suite with more taking part.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    names : iterable of str
        Of algorithms, adversaries, datasets or metrics.
    files : sequence of str
        Paths of plugin files. All that one declares joins, unless the suite names something of it already: then its
        author has said what of it is to run.

    Raises
    ------
    UnknownNameError
        Nothing is called so.
    """
    catalogues = {kind: registry.catalogue(kind) for kind in _KINDS}
    joining = []
    for name in names:
        kinds = [kind for kind, catalogue in catalogues.items() if name in catalogue]
        if not kinds:
            raise UnknownNameError("name", name, [each for catalogue in catalogues.values() for each in catalogue])
        joining += [(kind, name) for kind in kinds]
    for file in files:
        plugins = {name for name, where in registry.plugins.items() if where == file}
        declared = [
            (kind, name)
            for kind, catalogue in catalogues.items()
            for name in catalogue
            if catalogue.origin[name] in plugins
        ]
        if not any(name in _named(loaded.suite, kind) for kind, name in declared):
            joining += declared
    suite = loaded.suite
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
        budgets = _SHARES if unit.takes_shares else [*unit.amounts]
        return {kind: [*suite.adversaries, AdversaryEntry(name=name, params=dict(declared.example), budgets=budgets)]}
    first, *_ = suite.datasets

    def extended(entries: Iterable[Any]) -> list[Any]:
        """Entries that are for the first dataset are for the new one, too."""
        return [
            entry.model_copy(update={"datasets": [*entry.datasets, name]})
            if entry.datasets is not None and first.display_name in entry.datasets
            else entry
            for entry in entries
        ]

    return {
        kind: [*suite.datasets, DatasetEntry(name=name, split=first.split, preprocess=first.preprocess)],
        "algorithms": extended(suite.algorithms),
        "adversaries": extended(suite.adversaries),
    }


def _algorithm_entries(suite: Suite, registry: Registry, name: str) -> list[AlgorithmEntry]:
    """An entry for the datasets that it is tuned on, and one for the others."""
    declared = registry.algorithms[name]
    tuned: list[str] = []
    plain: list[str] = []
    for dataset in suite.datasets:
        if dataset.name in registry.datasets and registry.datasets[dataset.name].task not in declared.tasks:
            continue
        split = dataset.split or suite.split
        (plain if declared.grid is None or split.validation is None else tuned).append(dataset.display_name)
    entries = [(tuned, [Tune(data="corrupted")]), (plain, [])]
    return [AlgorithmEntry(name=name, tune=tune, datasets=datasets) for datasets, tune in entries if datasets]
