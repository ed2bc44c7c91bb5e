"""Letting what a suite does not name take part in it: ``--add NAME``, and what a file given by ``--plugin`` declares.

An algorithm joins on every dataset of a task it does, its default grid tuned on corrupted validation data where there
is a validation part; a dataset joins beside the first one, and whatever runs on that runs on it; an adversary joins
with shares of what it could take at most; a metric joins the metrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from benchkit.plugin.declarations import Adversary, Algorithm
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.suite.load import Loaded
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry, DatasetEntry, Tune
from benchkit.suite.whole_suite import Suite

_KINDS = ("algorithms", "adversaries", "datasets", "metrics")

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
    suite = loaded.suite
    for name in names:
        kinds = [kind for kind in _KINDS if name in registry.catalogue(kind)]
        if not kinds:
            raise UnknownNameError("name", name, [known for kind in _KINDS for known in registry.catalogue(kind)])
        for kind in kinds:
            suite = _with(suite, registry, kind, name)
    for file in files:
        declared = list(_declared(registry, file))
        if not any(name in _named(loaded.suite, kind) for kind, name in declared):
            for kind, name in declared:
                suite = _with(suite, registry, kind, name)
    return replace(loaded, suite=suite)


def _declared(registry: Registry, file: str) -> Iterator[tuple[str, str]]:
    """Kind and name of what a plugin file declares; datasets first, for algorithms are tried on all of them."""
    plugins = {name for name, where in registry.plugins.items() if where == file}
    for kind in sorted(_KINDS, key=("datasets", "adversaries", "algorithms", "metrics").index):
        catalogue = registry.catalogue(kind)
        yield from ((kind, name) for name in catalogue if catalogue.origin[name] in plugins)


def _named(suite: Suite, kind: str) -> set[str]:
    if kind == "metrics":
        return {*suite.metrics, *(stage.metric for entry in suite.algorithms for stage in entry.tune if stage.metric)}
    return {entry.name for entry in getattr(suite, kind)}


def _with(suite: Suite, registry: Registry, kind: str, name: str) -> Suite:
    if name in _named(suite, kind):
        return suite
    change: dict[str, Any]
    if kind == "algorithms":
        change = {kind: [*suite.algorithms, *_algorithm_entries(suite, registry, registry.algorithms[name])]}
    elif kind == "adversaries":
        change = {kind: [*suite.adversaries, _adversary_entry(registry.adversaries[name])]}
    elif kind == "metrics":
        change = {kind: [*suite.metrics, name]}
    else:
        change = _beside_the_first(suite, name)
    return suite.model_copy(update=change)


def _algorithm_entries(suite: Suite, registry: Registry, declared: Algorithm) -> list[AlgorithmEntry]:
    tuned: list[str] = []
    plain: list[str] = []
    for dataset in suite.datasets:
        known = dataset.name in registry.datasets
        if known and registry.datasets[dataset.name].task not in declared.tasks:
            continue
        split = dataset.split or suite.split
        (plain if declared.grid is None or split.validation is None else tuned).append(dataset.display_name)
    entries = []
    if tuned:
        entries.append(AlgorithmEntry(name=declared.name, tune=[Tune(data="corrupted")], datasets=tuned))
    if plain:
        entries.append(AlgorithmEntry(name=declared.name, datasets=plain))
    return entries


def _adversary_entry(declared: Adversary) -> AdversaryEntry:
    unit = UNITS[declared.budget_unit]
    budgets = _SHARES if unit.takes_shares else [*unit.amounts]
    return AdversaryEntry(name=declared.name, params=dict(declared.example), budgets=budgets)


def _beside_the_first(suite: Suite, name: str) -> dict[str, Any]:
    first, *_ = suite.datasets
    entry = DatasetEntry(name=name, split=first.split, preprocess=first.preprocess)

    def extended(entries: Iterable[Any]) -> list[Any]:
        return [
            each.model_copy(update={"datasets": [*each.datasets, name]})
            if each.datasets is not None and first.display_name in each.datasets
            else each
            for each in entries
        ]

    return {
        "datasets": [*suite.datasets, entry],
        "algorithms": extended(suite.algorithms),
        "adversaries": extended(suite.adversaries),
    }
