"""Names, budgets and parameters of adversaries."""

from __future__ import annotations

from collections.abc import Iterable

from benchkit.plugin.declarations import Adversary
from benchkit.plugin.declarations.budget_unit import UNITS
from benchkit.plugin.manager import Registry
from benchkit.session.mistakes.names.known import look_up
from benchkit.session.mistakes.names.mistake import MistakeError, Mistakes
from benchkit.session.mistakes.names.parameters import check_params, parameters_of
from benchkit.suite.schema import AdversaryEntry
from benchkit.suite.source import Location


def check_adversary(registry: Registry, position: int, entry: AdversaryEntry) -> Mistakes:
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
