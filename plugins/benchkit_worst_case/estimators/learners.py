"""The classifier or regression within a method that takes any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sklearn.base import clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from benchkit import NotApplicableError, registry

Task = Literal["classification", "regression"]

_NAMED: dict[str, dict[str, Any]] = {
    "classification": {"gradient-boosting": HistGradientBoostingClassifier, "random-forest": RandomForestClassifier},
    "regression": {"gradient-boosting": HistGradientBoostingRegressor, "random-forest": RandomForestRegressor},
}


def new_learner(estimator: Any, rng: Any, task: Task = "classification") -> Any:
    """A classifier or regression, not fitted; its own random state where it has one, else drawn.

    Parameters
    ----------
    estimator : str, mapping or estimator
        "gradient-boosting" (scikit-learn's on histograms), "random-forest", or the name of another method that
        ``benchkit list algorithms`` tells, with its default parameters; ``{"name": NAME, "params": {...}}`` with
        others; or an object, which is cloned.
    rng : RandomState
    task : {"classification", "regression"}, default="classification"

    Raises
    ------
    ValueError
        No method of this task has this name, or it has no such parameter.
    NotApplicableError
        The packages that it needs are not installed here.
    """
    if isinstance(estimator, Mapping):
        learner = _with_params(estimator, task)
    else:
        learner = _by_name(estimator, task) if isinstance(estimator, str) else clone(estimator)
    if learner.get_params().get("random_state", 0) is None:
        learner.set_params(random_state=rng.randint(2**31 - 1))
    return learner


def _with_params(entry: Mapping[str, Any], task: Task) -> Any:
    if set(entry) - {"name", "params"} or "name" not in entry:
        raise ValueError(
            f"estimator is {dict(entry)!r}, expected its name and params, as in {{name: ..., params: {{...}}}}"
        )
    return _by_name(entry["name"], task).set_params(**entry.get("params", {}))


def _by_name(name: str, task: Task) -> Any:
    if name in _NAMED[task]:
        return _NAMED[task][name]()
    known = registry().algorithms
    if name not in known or task not in known[name].tasks:
        raise ValueError(
            f"estimator is {name!r}, expected an estimator, one of {', '.join(_NAMED[task])}, or another method of "
            f"{task} that 'benchkit list algorithms' names"
        )
    try:
        return known[name].make()
    except ModuleNotFoundError as error:
        raise not_installed(error) from error


def not_installed(error: ModuleNotFoundError) -> NotApplicableError:
    """What to say of a package that the model within needs."""
    return NotApplicableError(f"the model within needs the package {error.name}, which is not installed here")
