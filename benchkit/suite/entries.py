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


def with_name_of_estimator(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with a name in place of ``estimator`` or ``fitted``, and its ``grid`` within its only stage of tuning.

    The parameters of an estimator's steps stand among the entry's own, and so does ``trust`` of a fitted model.

    Raises
    ------
    ValueError
        The keys do not go together; or they name no estimator, or no file of a model.
    """
    entry = dict(entry)
    if "fitted" in entry:
        return _with_fitted(entry)
    if "trust" in entry:
        raise ValueError("'trust' goes with 'fitted', the file of a model")
    if "grid" in entry:
        grid, stage = entry.pop("grid"), entry.get("tune", {})
        if not isinstance(stage, Mapping) or "grid" in stage:
            raise ValueError("'grid' beside 'tune' is that of its only stage: write it in the stage instead")
        entry["tune"] = {**stage, "grid": grid}
    if "estimator" not in entry:
        return entry
    if "name" in entry:
        raise ValueError("'name' and 'estimator' exclude each other: a name is declared by a plugin")
    given = entry.pop("estimator")
    steps = [_step(step) for step in (given if isinstance(given, list) else [given])]
    if not steps:
        raise ValueError("'estimator' has no steps")
    targets = [target for target, _ in steps]
    before = [""] if len(steps) == 1 else [f"{name}__" for name in step_names(targets)]
    of_steps = {f"{name}{key}": item for name, (_, own) in zip(before, steps, strict=True) for key, item in own.items()}
    params = entry.get("params", {})
    params = {**of_steps, **params} if isinstance(params, Mapping) else params  # what else it is, the model refuses
    return {**entry, "name": pipeline_name(targets), "params": params}


def _with_fitted(entry: dict[str, Any]) -> dict[str, Any]:
    if more := [key for key in entry if key not in ("fitted", "label", "trust", "datasets")]:
        raise ValueError(f"'fitted' is a model as it is, beside which {more[0]!r} says nothing: leave it out")
    path, trust = entry.pop("fitted"), entry.pop("trust", False)
    if not isinstance(path, str) or not is_fitted_name(fitted_name(path)):
        raise ValueError(f"'fitted' is {path!r}, expected a file of a model ({', '.join(SUFFIXES)})")
    if not isinstance(trust, bool):
        raise ValueError(f"'trust' is {trust!r}, expected true or false")
    return {**entry, "name": fitted_name(path), "params": {"trust": True} if trust else {}}


def _step(given: Any) -> tuple[str, Mapping[str, Any]]:
    """A step's class and parameters: text, or a mapping with ``estimator`` and ``params``."""
    params: Any = {}
    if isinstance(given, Mapping):
        if strange := [key for key in given if key not in ("estimator", "params")]:
            raise ValueError(f"a step has 'estimator' and 'params', not {strange[0]!r}")
        given, params = given.get("estimator"), given.get("params", {})
    if not is_estimator_name(given) or not isinstance(params, Mapping):
        raise ValueError(
            f"{given!r} is no estimator: write 'module:Class', such as sklearn.svm:SVC, a list of them for a pipeline, "
            "or {estimator: 'module:Class', params: {...}} for a step with parameters"
        )
    return given, params


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
    if isinstance(entry, list) and entry:
        return entry
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise ValueError(f"{parameter}: {entry!r} is no list of values, and no {{loguniform: [0.01, 100]}} or the like")
    ((name, arguments),) = entry.items()
    if isinstance(arguments, Mapping):
        distribution = Distribution(str(name), (), dict(arguments))
    else:
        distribution = Distribution(str(name), tuple(arguments if isinstance(arguments, list) else [arguments]))
    _refuse_what_cannot_be_drawn(parameter, distribution)
    return distribution


def _refuse_what_cannot_be_drawn(parameter: str, distribution: Distribution) -> None:
    import scipy.stats

    name, where = distribution.name, f"{parameter}: {distribution.name}"
    kinds = (scipy.stats.rv_continuous, scipy.stats.rv_discrete)
    if not isinstance(getattr(scipy.stats, name, None), kinds):
        known = [each for each in dir(scipy.stats) if isinstance(getattr(scipy.stats, each), kinds)]
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
