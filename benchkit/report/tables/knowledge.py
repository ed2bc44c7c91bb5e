"""What each method of a suite is told of the adversary, and what it tunes: whether rivals have the same chances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchkit.plugin.declarations import Algorithm, ReportTable
from benchkit.plugin.manager import Registry
from benchkit.suite.schema import AlgorithmEntry, Tune, UpToBudget
from benchkit.suite.whole_suite import Suite


def knowledge(suite: Suite, registry: Registry) -> ReportTable | None:
    """A row for each entry of the suite's algorithms; None where nobody could be told of an adversary.

    Parameters
    ----------
    suite : Suite
    registry : Registry
        That declares which parameters are the budget and the feature values.
    """
    declared = [registry.algorithms[entry.name] for entry in suite.algorithms]
    if not suite.adversaries or not any(each.budget_param or each.values_param for each in declared):
        return None
    rows = [
        [entry.display_name, _budget(entry, each), _values(suite, entry, each), *_tuned(entry)]
        for entry, each in zip(suite.algorithms, declared, strict=True)
    ]
    return ReportTable(
        title="What each method is told and tunes",
        columns=["method", "prepares for", "knows the feature values", "tunes", "judged on"],
        rows=rows,
        align=("left", "text", "left", "text", "text"),
    )


def _budget(entry: AlgorithmEntry, declared: Algorithm) -> str:
    name = declared.budget_param
    if name is None:
        return "nothing"
    if any(_tries(stage, name) for stage in entry.tune):
        return f"what it tunes ({name})"
    if name in entry.params:
        return f"{name} = {entry.params[name]}"
    return f"the test's budget ({name})"


def _tries(stage: Tune, name: str) -> bool:
    return name in (stage.space or {}) or (isinstance(stage.grid, Mapping) and name in stage.grid)


def _values(suite: Suite, entry: AlgorithmEntry, declared: Algorithm) -> str:
    if declared.values_param is None:
        return "no"
    if declared.values_param in entry.params:
        return "as the suite says"
    applies = [each for each in suite.datasets if entry.datasets is None or each.display_name in entry.datasets]
    rules = {str(suite.feature_values if each.feature_values is None else each.feature_values) for each in applies}
    return "yes (all are 1)" if rules == {"uniform"} else "yes"


def _tuned(entry: AlgorithmEntry) -> Sequence[str]:
    if not entry.tune:
        return "nothing", "-"
    stages = [_grid(stage) for stage in entry.tune]
    rows = dict.fromkeys(
        f"{stage.data} {'validation rows' if stage.folds is None else f'rows of {stage.folds} folds'}"
        for stage in entry.tune
    )
    return ", then ".join(stages), ", then ".join(rows)


def _grid(stage: Tune) -> str:
    if stage.space is not None:
        return ", ".join(f"{name} of {values}" for name, values in stage.space.items())
    if not isinstance(stage.grid, Mapping):
        return "its default grid"
    return "; ".join(f"{name} of {_listed(values)}" for name, values in stage.grid.items())


def _listed(values: Sequence[Any] | UpToBudget) -> str:
    if isinstance(values, UpToBudget):
        return f"{_listed(values.up_to_budget)} up to the budget"
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
