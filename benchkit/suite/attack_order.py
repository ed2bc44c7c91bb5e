"""Which of a suite's attacks can never do less than which others: what reports check for consistency."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from benchkit.plugin.manager import Registry
from benchkit.suite.whole_suite import Suite


def attack_order(suite: Suite, registry: Registry) -> dict[str, Any]:
    """Pairs of adversary labels, stronger first, and the metrics that a stronger attack cannot leave better.

    Returns
    -------
    dict
        ``metrics``, a mapping of name to whether greater is better, and ``pairs``, a list of ``stronger``, ``weaker``
        and ``uniform_only``: budgets that count values and budgets that count features compare where every feature has
        the value 1.
    """
    pairs = []
    for one, other in permutations(suite.adversaries, 2):
        strong, weak = registry.adversaries[one.name], registry.adversaries[other.name]
        # Attacks that leave different things in place of what they delete do different damage.
        alike = one.params.get("fill", "zero") == other.params.get("fill", "zero")
        if other.name in strong.stronger_than and alike:
            uniform_only = strong.budget_unit != weak.budget_unit
            pairs.append({"stronger": one.display_name, "weaker": other.display_name, "uniform_only": uniform_only})
    judging = {name: registry.metrics[name] for name in suite.metrics}
    metrics = {name: metric.greater_is_better for name, metric in judging.items() if metric.worsens_with_attack}
    return {"metrics": metrics, "pairs": pairs}
