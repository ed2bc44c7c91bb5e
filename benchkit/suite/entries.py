"""Entries of a suite that are estimators, and what of them is tuned."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from benchkit.plugin.declarations import Distribution
from benchkit.plugin.estimators import (
    SUFFIXES,
    fitted_name,
    is_estimator_name,
    is_fitted_name,
    pipeline_name,
    step_names,
)
from benchkit.plugin.nearest_name import Suggestion


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


def with_fitted(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with a name in place of ``fitted``, the file of a model, and ``trust`` among its parameters.

    Raises
    ------
    ValueError
        It says what else is to be fitted, or names no file of a model.
    """
    said = dict(entry)
    if "fitted" not in said:
        if "trust" in said:
            raise ValueError("'trust' goes with 'fitted', the file of a model")
        return said
    if more := [key for key in said if key not in ("fitted", "label", "trust", "datasets")]:
        raise ValueError(f"'fitted' is a model as it is, beside which {more[0]!r} says nothing: leave it out")
    path, trust = said.pop("fitted"), said.pop("trust", False)
    if not isinstance(path, str) or not is_fitted_name(fitted_name(path)):
        raise ValueError(f"'fitted' is {path!r}, expected a file of a model ({', '.join(SUFFIXES)})")
    if not isinstance(trust, bool):
        raise ValueError(f"'trust' is {trust!r}, expected true or false")
    return {**said, "name": fitted_name(path), "params": {"trust": True} if trust else {}}


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


_FORM = "a list of values, or a distribution such as {loguniform: [0.01, 100]}"


def read_space(space: Mapping[str, Any]) -> dict[str, list[Any] | Distribution]:
    """Lists as they are, mappings as distributions.

    Parameters
    ----------
    space : mapping of parameter to list or mapping
        ``{C: {loguniform: [0.01, 100]}, kernel: [linear, rbf]}``.

    Raises
    ------
    ValueError
        An entry is neither; or SciPy has no such distribution, or does not take these arguments.
    """
    return {name: _read(name, entry) for name, entry in space.items()}


def _read(parameter: str, entry: Any) -> list[Any] | Distribution:
    if isinstance(entry, list):
        if not entry:
            raise ValueError(f"{parameter}: an empty list: give {_FORM}")
        return entry
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise ValueError(f"{parameter}: {entry!r} is neither of these: {_FORM}")
    (name, arguments), *_ = entry.items()
    distribution = _distribution(str(name), arguments)
    _check(parameter, distribution)
    return distribution


def _distribution(name: str, arguments: Any) -> Distribution:
    if isinstance(arguments, Mapping):
        return Distribution(name, (), dict(arguments))
    return Distribution(name, tuple(arguments if isinstance(arguments, list) else [arguments]))


def _check(parameter: str, distribution: Distribution) -> None:
    """Refuse what SciPy cannot draw from."""
    import scipy.stats

    name, where = distribution.name, f"{parameter}: {distribution.name}"
    kinds = (scipy.stats.rv_continuous, scipy.stats.rv_discrete)
    known = [each for each in dir(scipy.stats) if isinstance(getattr(scipy.stats, each), kinds)]
    if name not in known:
        hint = Suggestion(name, known, otherwise="such as uniform, loguniform, norm, randint")
        raise ValueError(f"{parameter}: no distribution {name!r} in scipy.stats; {hint}")
    given = [*distribution.args, *distribution.kwargs.values()]
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in given):
        raise ValueError(f"{where} takes numbers, not {given}")
    try:
        drawn = distribution.frozen().rvs(size=1, random_state=0)
    except (TypeError, ValueError) as error:
        takes = ", ".join(inspect.signature(getattr(scipy.stats, name)._parse_args).parameters)
        raise ValueError(f"{where} does not take {given}: {error}; it takes {takes}") from None
    if not (drawn == drawn).all():
        raise ValueError(f"{where} with {given} draws no numbers")
