"""What the robust binary linear classifiers share: validation of input, labels as signs, prediction."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import Features, check_choice, check_positive
from benchkit_deletion.threat import check_values
from benchkit_feature_noise.solvers import general_solvers, structured
from benchkit_feature_noise.solvers.optimality import compact
from benchkit_feature_noise.solvers.programs import Program, Reduction, Solution, put_back, reduce


class RobustLinearClassifier(ClassifierMixin, BaseEstimator):
    """Base of binary linear classifiers with ``coef_`` of shape (1, n_features) and ``intercept_`` of shape (1,)."""

    groups: Sequence[Sequence[int]] = ()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows whose weight is not 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight k counts as k rows.
        """
        self._learn(*self._validate_weighted(X, y, sample_weight))
        return self

    @abstractmethod
    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        """Set what is fitted, from rows, labels -1 and +1 and weights of rows, once the parameters are found right."""

    def _validate_weighted(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
        """As `validated`, of the rows whose weight is not 0, with their weights."""
        if sample_weight is None:
            X, signs = self.validated(X, y)
            return X, signs, np.ones(len(signs))
        X, y = self._read(X, y)
        weights = np.full(len(y), sample_weight) if np.isscalar(sample_weight) else np.asarray(sample_weight)
        weights = check_array(weights, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
        if weights.shape != (len(y),):
            raise ValueError(f"sample_weight has shape {weights.shape}, expected ({len(y)},)")
        if (weights < 0).any():
            raise ValueError("sample_weight has negative values")
        if not weights.any():
            raise ValueError("sample_weight: all weights are zero")
        kept = np.flatnonzero(weights)
        return X[kept], self._signs(np.asarray(y)[kept]), weights[kept]

    def validated(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """X as float64 (CSR if sparse), and y as signs of shape (n_samples,); sets ``classes_``."""
        X, y = self._read(X, y)
        return X, self._signs(y)

    def _read(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, np.ndarray]:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=reset)
        if issparse(X) and not X.has_canonical_format:  # what is given twice counts as its sum, not as two entries
            X = X.copy()
            X.sum_duplicates()
        return X, y

    def _signs(self, y: np.ndarray) -> np.ndarray:
        check_classification_targets(y)
        target = type_of_target(y, input_name="y", raise_unknown=True)
        if target != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {target}.")
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs 2 classes, the data has one class: {self.classes_[0]}")
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def _validate_stream(self, X: Any, y: Any, classes: Any, begins: bool) -> tuple[Any, np.ndarray]:
        """As `validated`, of the next rows of a stream, whose ``classes_`` are set when it begins."""
        X, y = self._read(X, y, begins)
        if begins:
            self.classes_ = np.unique(y if classes is None else classes)
            if len(self.classes_) != 2:
                raise ValueError(f"classes are {self.classes_.tolist()}, expected two: name them at the first call")
        if not np.isin(y, self.classes_).all():
            raise ValueError(f"y holds classes other than {self.classes_.tolist()}")
        return X, np.where(y == self.classes_[1], 1.0, -1.0)

    def features(self, X: Any) -> Features:
        """Which columns of X are one feature, by the parameter ``groups``."""
        return Features(X.shape[1], self.groups)

    def decision_function(self, X: Any) -> np.ndarray:
        """B + w.x of each row, shape (n_samples,), positive for ``classes_[1]``."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        scores: np.ndarray = safe_sparse_dot(X, self.coef_[0]) + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """Classes, shape (n_samples,); a score of 0 is ``classes_[0]``."""
        positive = self.decision_function(X) > 0
        labels: np.ndarray = self.classes_[positive.astype(int)]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


class ProgramClassifier(RobustLinearClassifier):
    """What classifiers that solve a `Program` share: which parameters and rows are right, and what they keep of it."""

    C: float
    feature_values: Any
    solver: str
    tol: float
    max_iter: int | None
    n_threads: int
    keep_multipliers: bool
    _solvers: Sequence[str]
    """The structured one, then the one for groups that it does not take, and others."""

    @property
    @abstractmethod
    def prepared_for(self) -> float:
        """The budget: N or K."""

    @abstractmethod
    def program(self, reduced: Reduction, signs: np.ndarray, weights: np.ndarray | None = None) -> Program:
        """The program for these rows, labels -1 and +1, and weights of rows."""

    def checked_values(self, X: Any) -> np.ndarray:
        """Feature values of the columns of X, once these and the parameters are found right."""
        check_positive(C=self.C, tol=self.tol, n_threads=self.n_threads)
        if self.max_iter is not None:
            check_positive(max_iter=self.max_iter)
        check_choice(self._solvers, solver=self.solver)
        return check_values(self.feature_values, X.shape[1], self.features(X))

    def reduced(self, X: Any) -> Reduction:
        """What decides something of X and its feature values, once the parameters are found right."""
        return reduce(X, self.checked_values(X), self.features(X))

    def _solve(self, program: Program, solver: str) -> Solution:
        """The program's solution; a warning says before that it may take long, and after that it has a problem."""
        if solver != "structured":
            solution = general_solvers.solve(solver, program, self.tol, self.max_iter)
        else:
            if long := structured.long_fit(program, self.tol):
                warnings.warn(long, RuntimeWarning, stacklevel=4)
            if program.groups is None:
                solution = structured.solve(program, self.prepared_for, self.tol, self.max_iter, self.n_threads)
            else:
                solution = general_solvers.solve(self._solvers[1], program, self.tol, self.max_iter, self.tol / 10)
        if solution.problem:
            warnings.warn(f"{solution.problem} (tol={self.tol:g})", ConvergenceWarning, stacklevel=4)
        return solution

    def adopt(self, program: Program, solution: Solution) -> Self:
        """Take a program's solution, and say how good it is."""
        self.coef_ = put_back(program, solution.coef)[None, :]
        self.intercept_ = np.array([solution.intercept])
        self.objective_ = solution.objective
        self.dual_objective_ = solution.dual_objective
        self.duality_gap_ = self.objective_ - self.dual_objective_
        self.n_iter_ = solution.n_iter
        self.converged_ = not solution.problem
        vars(self).pop("multipliers_", None)  # of a fit before
        if self.keep_multipliers:
            self.multipliers_ = compact(solution)
        return self
