"""What adversaries ask of the data and it does not have: features, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.plugin.declarations import Adversary
from benchkit.plugin.declarations.budget_unit import UNITS
from benchkit.plugin.manager import Registry
from benchkit.plugin.nearest_name import Suggestion
from benchkit.session.mistakes.data.reading import Facts
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import PlannedDataset
from benchkit.suite.schema import AdversaryEntry
from benchkit.suite.source import Location


def feature_mistakes(loaded: Loaded, registry: Registry, cell: PlannedDataset, facts: Facts) -> Iterator[str]:
    """Features that an entry names and the data does not have."""
    known = [*facts.feature_names, *(name for name in facts.group_names if name not in facts.feature_names)]
    for position, entry, adversary in _applied(loaded, registry, cell.label):
        param = adversary.features_param or ""
        given = entry.params.get(param)
        named = given if isinstance(given, list) else []
        for place, name in enumerate(named):
            if name in named[:place]:
                message = f"feature {name!r} is named twice: leave one of them out"
            elif isinstance(name, str) and name not in known:
                hint = Suggestion(name, known, otherwise=f"it has {', '.join(known[:20]) or 'none with a name'}")
                message = f"{cell.label} has no feature {name!r}; {hint}"
            elif isinstance(name, int) and not 0 <= name < facts.n_columns:
                message = f"{cell.label} has no column {name}: give 0 to {facts.n_columns - 1}"
            else:
                continue
            where: Location = ["adversaries", position, "params", param, place]
            yield str(loaded.source.error(where, message))


def budget_mistakes(loaded: Loaded, registry: Registry, cell: PlannedDataset, facts: Facts) -> Iterator[str]:
    """Budgets above what the data has to spend."""
    total = _total_value(cell, facts)
    for position, entry, adversary in _applied(loaded, registry, cell.label):
        unit = UNITS[adversary.budget_unit]
        if not unit.limit_of_data:
            continue  # told without the data
        for place, budget in enumerate(entry.budgets):
            if isinstance(budget, str):
                continue
            if too_much := unit.exceeds(budget, total, facts.n_features, rounding=1e-9):
                message = f"{too_much} of {cell.label}: give at most that"
                yield str(loaded.source.error(["adversaries", position, "budgets", place], message))


def budgets_of_all(loaded: Loaded, registry: Registry, cell: PlannedDataset, facts: Facts) -> Iterator[str]:
    """Budgets that take every feature the data has: nothing is left for a method to tell rows apart by."""
    total = _total_value(cell, facts)
    for position, entry, adversary in _applied(loaded, registry, cell.label):
        unit = UNITS[adversary.budget_unit]
        if not unit.limit_of_data:
            continue
        most, what = unit.limit(total, facts.n_features)
        for place, budget in enumerate(entry.budgets):
            amount = float(budget.rstrip("%")) / 100 * most if isinstance(budget, str) else budget
            if amount >= most * (1 - 1e-9) > 0:
                message = (
                    f"budget {budget if isinstance(budget, str) else f'{budget:g}'} takes all features of {cell.label} "
                    f"({most:g} is {what}): no method can do better there than one that looks at none"
                )
                yield str(loaded.source.error(["adversaries", position, "budgets", place], message))


def _applied(loaded: Loaded, registry: Registry, label: str) -> Iterator[tuple[int, AdversaryEntry, Adversary]]:
    """The suite's known adversaries of a dataset, with their positions."""
    for position, entry in enumerate(loaded.suite.adversaries):
        if entry.name in registry.adversaries and (not entry.datasets or label in entry.datasets):
            yield position, entry, registry.adversaries[entry.name]


def _total_value(cell: PlannedDataset, facts: Facts) -> float | None:
    """None where each feature has the value 1, or the values are made to sum to as much."""
    if isinstance(cell.feature_values, str):
        return facts.total_value if cell.feature_values == "given" else None
    return float(sum(cell.feature_values))
