"""Methods that are trained for other values in place of what is lost than the adversary leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchkit.plugin.declarations import Adversary, Algorithm
from benchkit.plugin.manager import Registry
from benchkit.suite.plan import Trial

_FILL = "fill"


def other_fills(trials: Iterable[Trial], registry: Registry) -> list[str]:
    """A line for each adversary and each ``fill`` of methods that is not its own.

    Trees tell a lost column by the exact value in its place: trained for the mean, they are hardly protected from zero.
    """
    # Trials of one pair differ in nothing that is asked here, and there may be a hundred thousand.
    pairs = {
        (trial.algorithm.label, str(trial.algorithm.params), adversary.label, str(adversary.params)): (trial, adversary)
        for trial in trials
        if (adversary := trial.adversary) is not None
    }
    found: dict[tuple[str, Any, Any], list[str]] = {}
    for trial, adversary in pairs.values():
        if registry.adversaries[adversary.name].phase != "test":
            continue
        if any(_FILL in grid for stage in trial.algorithm.tune for grid in (stage.grid, stage.space) if grid):
            continue
        prepared = _fill(registry.algorithms[trial.algorithm.name], trial.algorithm.params)
        left = _fill(registry.adversaries[adversary.name], adversary.params)
        if None not in (prepared, left) and prepared != left:
            labels = found.setdefault((adversary.label, left, prepared), [])
            labels += [trial.algorithm.label] if trial.algorithm.label not in labels else []
    return [
        f"{adversary} leaves {left} in place of what it deletes, and {', '.join(labels)} "
        f"{'prepares' if len(labels) == 1 else 'prepare'} for {prepared}: "
        "that may protect little; give both the same `fill` where you can"
        for (adversary, left, prepared), labels in found.items()
    ]


def _fill(declared: Algorithm | Adversary, params: Mapping[str, Any]) -> Any:
    """What a declared object fills with, its default included; None where it takes no such parameter."""
    if _FILL in params:
        return params[_FILL]
    known = getattr(declared, "defaults", {})
    if _FILL in known:
        return known[_FILL]
    parameter = declared.make.parameters().get(_FILL)
    return None if parameter is None else parameter.default
