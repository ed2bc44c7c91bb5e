"""The classifier within a method that takes any."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from benchkit import NotApplicableError, registry

_NAMED = {
    "gradient-boosting": HistGradientBoostingClassifier,
    "random-forest": RandomForestClassifier,
}


def new_learner(estimator: Any, rng: Any) -> Any:
    """A classifier, not fitted; its own random state where it has one, else drawn.

    Parameters
    ----------
    estimator : str or estimator
        "gradient-boosting" (scikit-learn's on histograms), "random-forest", the name of another method that
        ``benchkit list algorithms`` tells, with its default parameters, or an object, which is cloned.
    rng : RandomState

    Raises
    ------
    ValueError
        No classifier has this name.
    NotApplicableError
        The packages that it needs are not installed here.
    """
    learner = _by_name(estimator) if isinstance(estimator, str) else clone(estimator)
    if learner.get_params().get("random_state", 0) is None:
        learner.set_params(random_state=rng.randint(2**31 - 1))
    return learner


def _by_name(name: str) -> Any:
    if name in _NAMED:
        return _NAMED[name]()
    known = registry().algorithms
    if name not in known or "classification" not in known[name].tasks:
        raise ValueError(
            f"estimator is {name!r}, expected an estimator, one of {', '.join(_NAMED)}, or another classifier "
            "that 'benchkit list algorithms' names"
        )
    try:
        return known[name].make()
    except ModuleNotFoundError as error:
        raise not_installed(error) from error


def not_installed(error: ModuleNotFoundError) -> NotApplicableError:
    """What to say of a package that the classifier within needs."""
    return NotApplicableError(f"the classifier within needs the package {error.name}, which is not installed here")
