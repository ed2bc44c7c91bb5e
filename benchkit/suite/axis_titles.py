"""What a suite's budgets count, in words, for the axes of figures."""

from __future__ import annotations

from benchkit.plugin.declarations import Adversary
from benchkit.plugin.declarations.budget_unit import UNITS
from benchkit.plugin.manager import Registry
from benchkit.suite.schema import AdversaryEntry
from benchkit.suite.whole_suite import Suite


def axis_titles(suite: Suite, registry: Registry) -> dict[str, str]:
    """Titles of the budget's axis by adversary label: ``features deleted``, ``share of features deleted``.

    A budget that counts feature values counts features where every value is 1; elsewhere it is what they cost together:
    ``features deleted (total cost)``.
    """
    kinds = [suite.feature_values if entry.feature_values is None else entry.feature_values for entry in suite.datasets]
    uniform = all(kind == "uniform" for kind in kinds)
    return {entry.display_name: _title(registry.adversaries[entry.name], entry, uniform) for entry in suite.adversaries}


def _title(declared: Adversary, entry: AdversaryEntry, uniform: bool) -> str:
    shares = any(isinstance(budget, str) for budget in entry.budgets)
    return UNITS[declared.budget_unit].axis_title(declared.budget_title, shares, uniform)
