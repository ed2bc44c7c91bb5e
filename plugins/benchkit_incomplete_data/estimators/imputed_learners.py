"""Kernel machines on incomplete rows: one imputation first, learning second. What infinite imputations start from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import check_positive
from benchkit_incomplete_data.priors import fill, make_prior
from benchkit_incomplete_data.solvers.imputation_search import Incomplete
from benchkit_incomplete_data.solvers.infinite_imputations import Mixture, Problem
from benchkit_incomplete_data.solvers.kernels import Kernel, SquaredDistance, make_kernel
from benchkit_incomplete_data.solvers.losses import HingeLoss, Loss, SquaredLoss


@dataclass(frozen=True)
class Completed:
    """Training rows with their prior imputation."""

    imputer: Any
    data: Incomplete


class ImputedKernelMachine(BaseEstimator, ABC):
    """What the learners share: the prior imputation, the kernel, prediction by a mixture of imputations.

    A subclass says which loss it minimises and how labels become numbers.
    """

    kernel: Any
    gamma: Any
    prior: Any
    prior_params: Any
    random_state: Any

    def fit(self, X: Any, y: Any) -> Self:
        """Impute where X has NaN, then learn."""
        X, y = self.validate_training(X, y)
        return self.learn(self.complete(X, y), y)

    def complete(self, X: np.ndarray, y: np.ndarray) -> Completed:
        """The prior imputation of the training rows, within the ranges observed."""
        random = check_random_state(self.random_state)
        imputer = make_prior(self.prior, self.prior_params, self.kernel, self.gamma, random)
        # Imputers of others may write into what they are given.
        imputed = fill(imputer, imputer.fit_transform(X.copy(), self._classes_of(y)), X)
        return Completed(imputer, Incomplete.from_rows(X, imputed))

    def learn(self, completed: Completed, y: np.ndarray) -> Self:
        """Learn from rows with their prior imputation, as `complete` returns it."""
        problem = self.pose(completed, y)
        return self.keep(self.optimise(problem, self.most_iterations), completed.data)

    def pose(self, completed: Completed, y: np.ndarray) -> Problem:
        """The problem that `learn` solves."""
        self.prior_ = completed.imputer
        self._kernel: Kernel = make_kernel(self.kernel, self.gamma, completed.data.prior)
        return Problem(
            self._loss(), self._kernel, self._regulariser(), self._trade_off(), completed.data, self._targets(y)
        )

    @property
    def most_iterations(self) -> int:
        """Of Algorithm 1; none for a single imputation."""
        return 0

    def optimise(self, problem: Problem, most_iterations: int) -> list[Mixture]:
        """The mixtures of imputations on the way to the model, which is the last."""
        return [problem.start()]

    def keep(self, mixtures: list[Mixture], data: Incomplete) -> Self:
        """Take the last of the mixtures as the model."""
        last = mixtures[-1]
        self._coef, self._intercept = last.solution.coef, last.solution.intercept
        self.imputation_weights_ = last.weights
        self.n_iter_ = len(mixtures) - 1
        self.objective_path_ = np.array([mixture.objective for mixture in mixtures])
        # What the search found is known to float32 alone.
        self._data = data
        self._offsets = [(omega - data.prior)[data.missing].astype(np.float32) for omega in last.imputations]
        return self

    @property
    def imputations_(self) -> np.ndarray:
        """The imputations of the mixture, shape (n_imputations, n_samples, n_features)."""
        check_is_fitted(self)
        return np.array([self._imputation(offsets) for offsets in self._offsets])

    def _imputation(self, offsets: np.ndarray) -> np.ndarray:
        omega = self._data.prior.copy()
        omega[self._data.missing] += offsets
        return omega

    def _regulariser(self) -> SquaredDistance:
        return SquaredDistance()

    def _trade_off(self) -> float:
        return 0.0

    @abstractmethod
    def _loss(self) -> Loss:
        """What is minimised, its parameters checked."""

    @abstractmethod
    def validate_training(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """X as float64 and y, checked; may set attributes."""

    @abstractmethod
    def _classes_of(self, y: np.ndarray) -> np.ndarray | None:
        """What "class-mean" takes as classes."""

    @abstractmethod
    def _targets(self, y: np.ndarray) -> np.ndarray:
        """The numbers that the loss sees."""

    def _scores(self, X: Any) -> np.ndarray:
        """sum_t beta_t sum_i c_i k(omega_ti, x) + intercept, shape (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        missing = np.isnan(X)
        if missing.any():
            imputed = fill(self.prior_, self.prior_.transform(X.copy()), X)
            X = np.where(missing, np.clip(imputed, self._data.lower, self._data.upper), X)
        support = np.flatnonzero(self._coef)
        scores = np.full(len(X), self._intercept)
        if support.size == 0:
            return scores
        for weight, offsets in zip(self.imputation_weights_, self._offsets, strict=True):
            omega = self._imputation(offsets)[support]
            scores += weight * (self._kernel.matrix(X, omega) @ self._coef[support])
        return scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@dataclass(eq=False, repr=False)
class ImputedSVC(ClassifierMixin, ImputedKernelMachine):
    """Support vector machine on one imputation: the reference method of Dick, Haider & Scheffer 2008, section 6.

    Parameters
    ----------
    kernel : {"rbf", "linear"}, default="rbf"
    C : float, default=1.0
    gamma : float or "scale", default="scale"
        exp(-gamma |a - b|^2); "scale" is 1 / (n_features var(X)) of the imputed rows.
    prior : str or transformer, default="mean"
        "mean", "class-mean", "gaussian-em", "mixture-em", "knn", "iterative", or an imputer that takes NaN.
        Imputed values are clipped to the ranges observed.
    prior_params : mapping or None, default=None
        Of the imputer.
    random_state : int, RandomState or None
        Of the imputer.

    Attributes
    ----------
    prior_ : transformer
        The fitted imputer.
    imputations_ : ndarray of shape (1, n_samples, n_features)
    imputation_weights_ : ndarray of shape (1,)
    objective_path_ : ndarray of shape (1,)
        Regularised empirical risk sum_i [1 - y_i f(x_i)]_+ + 1/(2C) |f|^2.
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    """

    kernel: Literal["rbf", "linear"] = "rbf"
    C: float = 1.0
    gamma: float | str = "scale"
    prior: Any = "mean"
    prior_params: Mapping[str, Any] | None = None
    random_state: Any = None

    def _loss(self) -> Loss:
        check_positive(C=self.C)
        return HingeLoss(self.C)

    def validate_training(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """As `ImputedKernelMachine.validate_training`; sets ``classes_``."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        target = type_of_target(y, input_name="y", raise_unknown=True)
        if target != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {target}.")
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs 2 classes, the data has one class: {self.classes_[0]}")
        return X, y

    def _classes_of(self, y: np.ndarray) -> np.ndarray | None:
        return y

    def _targets(self, y: np.ndarray) -> np.ndarray:
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of shape (n_samples,), positive for ``classes_[1]``; rows with NaN are imputed by the prior first."""
        return self._scores(X)

    def predict(self, X: Any) -> np.ndarray:
        """Classes, shape (n_samples,); a score of 0 is ``classes_[0]``."""
        positive = self._scores(X) > 0
        classes: np.ndarray = self.classes_[positive.astype(int)]
        return classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


@dataclass(eq=False, repr=False)
class ImputedRidge(RegressorMixin, ImputedKernelMachine):
    """Kernel ridge regression on one imputation: the reference method of Dick, Haider & Scheffer 2008, section 6.2.

    Parameters
    ----------
    kernel : {"rbf", "linear"}, default="rbf"
    eta : float, default=0.1
        sum_i (y_i - f(x_i))^2 + eta |f|^2, targets centred.
    gamma, prior, prior_params, random_state
        As in `ImputedSVC`; for "class-mean" all rows are one class.

    Attributes
    ----------
    prior_, imputations_, imputation_weights_, n_features_in_
        As in `ImputedSVC`.
    objective_path_ : ndarray of shape (1,)
        Regularised empirical risk, targets divided by their standard deviation.
    """

    kernel: Literal["rbf", "linear"] = "rbf"
    eta: float = 0.1
    gamma: float | str = "scale"
    prior: Any = "mean"
    prior_params: Mapping[str, Any] | None = None
    random_state: Any = None

    def _loss(self) -> Loss:
        check_positive(eta=self.eta)
        return SquaredLoss(self.eta)

    def validate_training(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """As `ImputedKernelMachine.validate_training`."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_all_finite="allow-nan")
        return X, np.asarray(y, dtype=np.float64)

    def _classes_of(self, y: np.ndarray) -> np.ndarray | None:
        return None

    def _targets(self, y: np.ndarray) -> np.ndarray:
        self._location = float(y.mean())
        self._scale = float(y.std()) or 1.0
        return (y - self._location) / self._scale

    def predict(self, X: Any) -> np.ndarray:
        """Targets, shape (n_samples,); rows with NaN are imputed by the prior first."""
        scores = self._scores(X)
        return self._location + self._scale * scores


def make_indicator_svc(C: float = 1.0, gamma: float | str = "scale") -> Pipeline:
    """Support vector machine on column means and one 0/1 column for each feature with missing values in training.

    Parameters
    ----------
    C : float, default=1.0
    gamma : float or "scale", default="scale"
    """
    return _with_indicators(ImputedSVC(C=C, gamma=gamma))


def make_indicator_ridge(eta: float = 0.1, gamma: float | str = "scale") -> Pipeline:
    """Kernel ridge regression on the same columns as `make_indicator_svc`.

    Parameters
    ----------
    eta : float, default=0.1
    gamma : float or "scale", default="scale"
    """
    return _with_indicators(ImputedRidge(eta=eta, gamma=gamma))


def _with_indicators(learner: Any) -> Pipeline:
    return make_pipeline(SimpleImputer(add_indicator=True, keep_empty_features=True), learner)
