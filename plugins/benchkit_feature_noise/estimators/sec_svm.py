"""Sec-SVM: the support vector machine with evenly spread weights of Demontis et al. 2017."""

from __future__ import annotations

from typing import Any, Self

from benchkit import check_positive
from benchkit_feature_noise.estimators.robust_classifier import RobustLinearClassifier
from benchkit_feature_noise.estimators.tgrs import StochasticFeatureDropping


class SecureSVM(RobustLinearClassifier):
    """Linear support vector machine whose weights are held in a box.

    Minimises 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i)]_+ over |w_j| <= box, by dual coordinate ascent: what
    `StochasticFeatureDropping` does when nothing is deleted. No small set of features can then decide.

    Parameters
    ----------
    C : float, default=1
    box : float, default=1
    fit_intercept : bool, default=True
        The bias is neither bounded nor regularised.
    tol : float, default=0.01
        Stop when the objective is within this fraction of the lower bound.
    max_iter : int, default=2000
        Passes over the rows at most.
    random_state : int, RandomState or None
        Of the order of rows.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    objective_, dual_objective_, duality_gap_ : float
    n_iter_ : int
        Passes.
    n_features_in_ : int

    References
    ----------
    A. Demontis et al. Yes, machine learning can be more secure! A case study on Android malware detection. IEEE
    Transactions on Dependable and Secure Computing 16, 2019 (online 2017).
    """

    def __init__(
        self,
        C: float = 1.0,
        box: float = 1.0,
        fit_intercept: bool = True,
        tol: float = 1e-2,
        max_iter: int = 2000,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.box = box
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Pass over the rows until the objective is within ``tol`` of its lower bound.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight k counts as k rows.
        """
        check_positive(box=self.box)
        X, signs, weights = self._validate_weighted(X, y, sample_weight)
        solved = StochasticFeatureDropping(**self.get_params()).fit(X, signs, weights)
        self.coef_, self.intercept_ = solved.coef_, solved.intercept_
        self.objective_, self.dual_objective_ = solved.objective_, solved.dual_objective_
        self.duality_gap_, self.n_iter_ = solved.duality_gap_, solved.n_iter_
        return self
