"""Whichever of several methods is named: what tuning chooses among methods by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from benchkit import Features, registry
from benchkit_deletion.threat import Fill
from benchkit_hardening.hardened import HardenedClassifier, new_learner


def _offers(answer: str) -> Callable[[Choice], bool]:
    """Whether the model within, fitted or not yet, gives this kind of answer."""

    def offers(choice: Choice) -> bool:
        fitted = getattr(choice, "model_", None)
        return hasattr(fitted or new_learner(choice.estimator, np.random.RandomState(0)), answer)

    return offers


@dataclass(eq=False, repr=False)
class Choice(HardenedClassifier):
    """A classifier that is another one, so that a grid of ``estimator`` lets tuning choose among methods.

    Where rows that the adversary has struck are what tuning judges by, the method that these rows are for is taken,
    in each split and at each budget. The method within is told what this one is, under its own names: how much is lost,
    what stands in its place, what features cost and which columns are one.

    Parameters
    ----------
    estimator : str, mapping or estimator, default="gradient-boosting"
        Another method by its name, ``{"name": NAME, "params": {...}}`` with parameters, or an object, which is
        cloned. Parameters that are given stay as they are.
    n_deleted : float or None, default=None
        How much a method that prepares for lost features prepares for: its ``budget_param``, or its ``n_deleted``.
        None leaves its own default.
    fill : {"zero", "nan", "mean"}, default="mean"
        What a lost column holds, as the adversary leaves it.
    feature_values : array-like of shape (n_features,) or None, default=None
        What each column costs.
    groups : sequence of sequences of int, default=()
        Columns that are one feature.
    random_state : int, RandomState or None, default=None
    """

    estimator: Any = "gradient-boosting"
    n_deleted: float | None = None
    fill: Fill = "mean"
    feature_values: Any = None
    groups: Sequence[Sequence[int]] = ()
    random_state: Any = None

    @available_if(_offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes), where the model within has these."""
        return super().predict_proba(X)

    @available_if(_offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the model within, of shape (n_samples,) for two classes, else (n_samples, n_classes)."""
        X = self._checked(X)
        return np.asarray(self.model_.decision_function(X))

    def _fit_hardened(
        self, learner: Any, X: np.ndarray, y: np.ndarray, left: np.ndarray, features: Features, rng: Any
    ) -> Any:
        takes = learner.get_params(deep=False)
        learner.set_params(**{name: value for name, value in self._told().items() if name in takes})
        return learner.fit(X, y)

    def _told(self) -> dict[str, Any]:
        """What is known here, by the names of the method within, but for what the suite gives it."""
        entry = self.estimator if isinstance(self.estimator, Mapping) else {"name": self.estimator}
        declared = registry().algorithms.get(entry["name"]) if isinstance(entry["name"], str) else None
        budget, values, groups = (
            getattr(declared, name, None) or own
            for name, own in (
                ("budget_param", "n_deleted"),
                ("values_param", "feature_values"),
                ("groups_param", "groups"),
            )
        )
        told = {budget: self.n_deleted, values: self.feature_values, groups: self.groups or None, "fill": self.fill}
        given = entry.get("params", {})
        return {name: value for name, value in told.items() if value is not None and name not in given}
