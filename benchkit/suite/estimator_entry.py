"""Short forms of an algorithm entry: ``estimator`` names a class or a pipeline's steps, ``grid`` is what is tuned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchkit.plugin.named_estimator import is_estimator_name, pipeline_name, step_names


def with_estimator(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with a name in place of ``estimator``, and the parameters of its steps among its own.

    Raises
    ------
    ValueError
        It has a name too, or does not say where a class is.
    """
    said = dict(entry)
    if "estimator" not in said:
        return said
    given = said.pop("estimator")
    if "name" in said:
        raise ValueError("'name' and 'estimator' exclude each other: a name is declared by a plugin")
    steps = [_step(step) for step in (given if isinstance(given, list) else [given])]
    if not steps:
        raise ValueError("'estimator' has no steps")
    targets = [target for target, _ in steps]
    params = said.get("params", {})
    if isinstance(params, Mapping):
        if len(steps) == 1:
            params = {**steps[0][1], **params}
        else:
            names = step_names(targets)
            of_steps = {
                f"{name}__{key}": item for name, (_, own) in zip(names, steps, strict=True) for key, item in own.items()
            }
            params = {**of_steps, **params}
    return {**said, "name": pipeline_name(targets), "params": params}


def _step(given: Any) -> tuple[str, Mapping[str, Any]]:
    """A step's class and parameters: text, or a mapping with ``estimator`` and ``params``."""
    params: Any = {}
    if isinstance(given, Mapping):
        strange = [key for key in given if key not in ("estimator", "params")]
        if strange:
            raise ValueError(f"a step has 'estimator' and 'params', not {strange[0]!r}")
        params = given.get("params", {})
        given = given.get("estimator")
    if not is_estimator_name(given) or not isinstance(params, Mapping):
        raise ValueError(
            f"{given!r} is no estimator: write 'module:Class', such as sklearn.svm:SVC, a list of them for a pipeline, "
            "or {estimator: 'module:Class', params: {...}} for a step with parameters"
        )
    return given, params


def with_grid(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry whose ``grid`` stands within its only stage of tuning.

    Raises
    ------
    ValueError
        There are several stages, or the stage has a grid.
    """
    said = dict(entry)
    if "grid" not in said:
        return said
    grid = said.pop("grid")
    stage = said.get("tune", {})
    if not isinstance(stage, Mapping) or "grid" in stage:
        raise ValueError("'grid' beside 'tune' is that of its only stage: write it in the stage instead")
    return {**said, "tune": {**stage, "grid": grid}}
