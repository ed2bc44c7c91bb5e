"""What models that are trained on rows with lost columns have in common, and the model within them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import Features, NotApplicableError, registry
from benchkit_deletion.threat import Fill, left_by

Task = Literal["classification", "regression"]


class TakesGaps(BaseEstimator):  # type: ignore[misc]
    """What estimators on rows with NaN share."""

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, ensure_all_finite="allow-nan", dtype=np.float64, reset=False)

    def _checked_classes(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Training rows and their classes, two at least; sets ``classes_``."""
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("y holds one class; two at least are needed to tell them apart")
        return X, y

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class HardenedModel(TakesGaps):
    """A model fitted on the training rows and on copies of them that lack columns, which is kept as ``model_``.

    Subclasses say which columns the copies lack, and whether classes or numbers are predicted.
    """

    estimator: Any
    fill: Fill
    groups: Sequence[Sequence[int]]
    random_state: Any
    task: ClassVar[Task]

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest classes, or numbers, of shape (n_samples,)."""
        X = self._checked(X)
        return np.asarray(self.model_.predict(X))

    def _fit_copies(self, X: np.ndarray, y: np.ndarray) -> None:
        left = left_by(self.fill, X)
        rng = check_random_state(self.random_state)
        learner = new_learner(self.estimator, rng, self.task)
        try:
            self.model_ = self._fit_hardened(learner, X, y, left, Features(X.shape[1], self.groups), rng)
        except ModuleNotFoundError as error:
            raise not_installed(error) from error

    @abstractmethod
    def _fit_hardened(
        self, learner: Any, X: np.ndarray, y: np.ndarray, left: np.ndarray, features: Features, rng: Any
    ) -> Any:
        """The model, fitted on rows and copies; ``left`` is what a lost column holds."""


class HardenedClassifier(ClassifierMixin, HardenedModel):  # type: ignore[misc]
    """A classifier fitted on the training rows and on copies of them that lack columns."""

    task = "classification"

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier; X may hold NaN where that takes it."""
        self._fit_copies(*self._checked_classes(X, y))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes)."""
        X = self._checked(X)
        return np.asarray(self.model_.predict_proba(X))


class HardenedRegressor(RegressorMixin, HardenedModel):  # type: ignore[misc]
    """A regression fitted on the training rows and on copies of them that lack columns."""

    task = "regression"

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the regression; X may hold NaN where that takes it."""
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64, y_numeric=True)
        self._fit_copies(X, y)
        return self


_NAMED: dict[str, dict[str, Any]] = {
    "classification": {"gradient-boosting": HistGradientBoostingClassifier, "random-forest": RandomForestClassifier},
    "regression": {"gradient-boosting": HistGradientBoostingRegressor, "random-forest": RandomForestRegressor},
}


def new_learner(estimator: Any, rng: Any, task: Task = "classification") -> Any:
    """A classifier or regression, not fitted; random states that it, or a step of it, was not given are drawn.

    ``estimator`` is "gradient-boosting" (scikit-learn's on histograms), "random-forest", or the name of another method
    that ``benchkit list algorithms`` tells, with its default parameters; ``{"name": NAME, "params": {...}}`` with
    others; or an object, which is cloned. Raises ValueError where no method of this task has this name, or it has no
    such parameter; NotApplicableError where the packages that it needs are not installed here.
    """
    if isinstance(estimator, Mapping):
        learner = _with_params(estimator, task)
    else:
        learner = _by_name(estimator, task) if isinstance(estimator, str) else clone(estimator)
    params = learner.get_params()
    if unset := [name for name in params if name.split("__")[-1] == "random_state" and params[name] is None]:
        learner.set_params(**dict.fromkeys(unset, rng.randint(2**31 - 1)))
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
