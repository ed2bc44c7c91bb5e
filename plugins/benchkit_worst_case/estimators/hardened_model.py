"""What models that are trained on rows with lost columns have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import Features

Fill = Literal["zero", "nan", "mean"]


class HardenedModel(BaseEstimator):  # type: ignore[misc]
    """A model fitted on the training rows and on copies of them that lack columns.

    Subclasses say which columns the copies lack, and whether classes or numbers are predicted.

    Attributes
    ----------
    model_ : fitted estimator
    n_features_in_ : int
    """

    estimator: Any
    fill: Fill
    groups: Sequence[Sequence[int]]
    random_state: Any
    named: ClassVar[Mapping[str, Any]]

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest classes, or numbers, of shape (n_samples,)."""
        X = self._checked(X)
        return np.asarray(self.model_.predict(X))

    def _fit_copies(self, X: np.ndarray, y: np.ndarray) -> None:
        if self.fill not in ("zero", "nan", "mean"):
            raise ValueError(f"fill is {self.fill!r}, expected 'zero', 'nan' or 'mean'")
        rng = check_random_state(self.random_state)
        learner = self._learner(rng)
        self.model_ = self._fit_hardened(learner, X, y, self._left(X), Features(X.shape[1], self.groups), rng)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, ensure_all_finite="allow-nan", dtype=np.float64, reset=False)

    @abstractmethod
    def _fit_hardened(
        self, learner: Any, X: np.ndarray, y: np.ndarray, left: np.ndarray, features: Features, rng: Any
    ) -> Any:
        """The model, fitted on rows and copies; ``left`` is what a lost column holds."""

    def _learner(self, rng: Any) -> Any:
        """The model, not fitted; its own random state where it has one, else drawn from ours."""
        if isinstance(self.estimator, str) and self.estimator not in self.named:
            raise ValueError(
                f"estimator is {self.estimator!r}, expected an estimator or one of {', '.join(self.named)}"
            )
        learner = self.named[self.estimator]() if isinstance(self.estimator, str) else clone(self.estimator)
        if learner.get_params().get("random_state", 0) is None:
            learner.set_params(random_state=rng.randint(2**31 - 1))
        return learner

    def _left(self, X: np.ndarray) -> np.ndarray:
        """What deletion leaves in each column."""
        if self.fill == "nan":
            return np.full(X.shape[1], np.nan)
        if self.fill == "zero":
            return np.zeros(X.shape[1])
        known = ~np.isnan(X)
        sums = np.where(known, X, 0.0).sum(axis=0)
        return np.asarray(sums / np.maximum(known.sum(axis=0), 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
