"""Plugin of `dsx10-label-copies`: the SVM in a box, solved by the simplex method."""

import numpy as np
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from benchkit import Algorithm, hookimpl


class SimplexSVM(ClassifierMixin, BaseEstimator):
    """Minimise the mean hinge loss over abs(w_j) <= C: LP (DSX10, Eq. 4) at N = 0, of which it returns a vertex.

    Parameters
    ----------
    C : float, default=1.0
    """

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        self.classes_, places = np.unique(y, return_inverse=True)
        signs = 2.0 * places - 1.0
        m, n = X.shape
        # Variables: w, the intercept, a slack for each row.
        margins = np.hstack([signs[:, None] * X, signs[:, None], np.eye(m)])
        cost = np.concatenate([np.zeros(n + 1), np.full(m, 1 / m)])
        bounds = [(-self.C, self.C)] * n + [(None, None)] + [(0, None)] * m
        solved = linprog(cost, A_ub=-margins, b_ub=-np.ones(m), bounds=bounds, method="highs-ds")
        if not solved.success:
            raise RuntimeError(solved.message)
        self.coef_, self.intercept_ = solved.x[None, :n], solved.x[n : n + 1]
        return self

    def decision_function(self, X):
        return validate_data(self, X, reset=False) @ self.coef_[0] + self.intercept_[0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


@hookimpl
def benchkit_algorithms():
    return [
        Algorithm(
            name="simplex-svm",
            make=SimplexSVM,
            tasks=("classification",),
            summary="The SVM in a box by the simplex method, which returns a vertex of many optima.",
            reference="Dekel, Shamir & Xiao 2010, Eq. 4 with N = 0",
        )
    ]
