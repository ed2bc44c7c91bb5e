"""Checking a suite against the registry: every name, label and parameter must exist."""

from __future__ import annotations

from collections.abc import Iterable

from benchkit.plugin.declarations import Adversary, Dataset
from benchkit.plugin.declarations.budget_unit import UNITS
from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.session.mistakes.names.algorithms import check_algorithm
from benchkit.session.mistakes.names.claims import check_claims
from benchkit.session.mistakes.names.known import look_up
from benchkit.session.mistakes.names.labels import check_labels, check_references
from benchkit.session.mistakes.names.metrics import check_metric
from benchkit.session.mistakes.names.mistake import MistakeError, Mistakes, until_it_ends
from benchkit.session.mistakes.names.parameters import check_params, dataset_parameters, parameters_of
from benchkit.session.mistakes.names.preparation import preparation_checks
from benchkit.suite.loaded import Loaded
from benchkit.suite.schema import AdversaryEntry, DatasetEntry
from benchkit.suite.source import Location
from benchkit.suite.whole_suite import Suite


def name_mistakes(loaded: Loaded, registry: Registry) -> list[str]:
    """Every name, label and parameter that does not exist, each with its place.

    Imports the algorithms, adversaries and datasets that the suite names, to see their parameters.
    """
    suite = loaded.suite
    checks = [
        *(_check_dataset(registry, position, entry) for position, entry in enumerate(suite.datasets)),
        *(check_algorithm(suite, registry, position, entry) for position, entry in enumerate(suite.algorithms)),
        *(_check_adversary(registry, position, entry) for position, entry in enumerate(suite.adversaries)),
        *preparation_checks(suite, registry),
        *(check_metric(registry, name, ["metrics", position]) for position, name in enumerate(suite.metrics)),
    ]
    # Where an entry's own name is wrong, what refers to it may be right.
    if _are_named(suite, registry):
        checks += [check_references(suite), check_labels(suite), _check_axis(suite, registry), check_claims(suite)]
    mistakes = [mistake for check in checks for mistake in until_it_ends(check)]
    return list(dict.fromkeys(str(loaded.source.error(each.at, each.message)) for each in mistakes))


def _are_named(suite: Suite, registry: Registry) -> bool:
    """Whether every entry's name is declared."""
    try:
        for kind in ("datasets", "algorithms", "adversaries"):
            for entry in getattr(suite, kind):
                registry.catalogue(kind)[entry.name]
    except UnknownNameError:
        return False
    return True


def _check_dataset(registry: Registry, position: int, entry: DatasetEntry) -> Mistakes:
    """A dataset's name, its parameters, and the files that they name."""
    at: Location = ["datasets", position]
    dataset: Dataset = look_up(registry.datasets, entry.name, [*at, "name"])
    parameters_of(dataset.load, at)  # where it cannot be imported, that is the mistake
    former = getattr(dataset.expand.resolve(), "former", ()) if dataset.expand is not None else ()
    yield from check_params(entry.params, dataset_parameters(dataset), entry.name, at, former)
    if dataset.paths is not None:
        try:
            dataset.paths(**entry.params)
        except (TypeError, ValueError) as error:
            yield MistakeError([*at, "path"], str(error))


def _check_adversary(registry: Registry, position: int, entry: AdversaryEntry) -> Mistakes:
    """An adversary's name, its budgets, and what it is made with."""
    at: Location = ["adversaries", position]
    declared: Adversary = look_up(registry.adversaries, entry.name, [*at, "name"])
    yield from _check_budgets(declared, entry.budgets, [*at, "budgets"])
    known = parameters_of(declared.make, at)
    yield from check_params(entry.params, known, entry.name, [*at, "params"])


def _check_budgets(declared: Adversary, budgets: Iterable[float | str], at: Location) -> Mistakes:
    unit = UNITS[declared.budget_unit]
    for position, budget in enumerate(budgets):
        if isinstance(budget, str):
            if unit.spent is not None and not unit.takes_shares:
                message = f"budget {budget} of {declared.name} is a share, and {unit.title} have no most: give a number"
                yield MistakeError([*at, position], message)
        elif wrong := unit.check(budget):
            yield MistakeError([*at, position], f"budget {budget} of {declared.name} {wrong}")


def _check_axis(suite: Suite, registry: Registry) -> Mistakes:
    """The axis's parameter: each entry that it is of takes it."""
    if suite.axis is None:
        return
    target, _, parameter = suite.axis.parameter.partition(".")
    at: Location = ["axis", "parameter"]
    kind = {"adversary": "adversaries"}.get(target, target + "s")
    for entry in getattr(suite, kind):
        declared = registry.catalogue(kind)[entry.name]
        known = parameters_of(declared.load if target == "dataset" else declared.make, at)
        if wrong := list(check_params([parameter], known, entry.name, at)):
            yield wrong[0]
            return  # it is one key: the other entries would only repeat it
