"""Losses with the dual of Optimization Problem 2: R(c) = max_c a <c, K c> - R*(c), R* independent of K."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.svm import SVC


@dataclass(frozen=True)
class DualSolution:
    """The learner for one kernel matrix.

    Attributes
    ----------
    coef : ndarray of shape (n_samples,)
        c of the representer theorem: f = sum_i c_i k(x_i, .) + intercept.
    intercept : float
    value : float
        The dual's value at c: the regularised empirical risk sum_i l(y_i, f(x_i)) + eta |f|^2.
    """

    coef: np.ndarray
    intercept: float
    value: float


class Loss(Protocol):
    """A loss and its regularisation constant.

    Attributes
    ----------
    kernel_weight : float
        a < 0 of Optimization Problem 2, for c scaled as in `DualSolution`.
    """

    kernel_weight: float

    def solve(self, K: np.ndarray, y: np.ndarray, rough: bool = False) -> DualSolution:
        """Maximise the dual for the kernel matrix K of shape (n_samples, n_samples).

        ``rough`` allows a tenth of the accuracy, for choosing a step.
        """

    def risk(self, K: np.ndarray, y: np.ndarray, solution: DualSolution) -> float:
        """The primal value sum_i l(y_i, f(x_i)) + eta |f|^2."""


class HingeLoss:
    """sum_i [1 - y_i f(x_i)]_+ + 1/(2C) |f|^2, the bias free; solved by libsvm.

    With |c_i| <= C, y_i c_i >= 0 and sum_i c_i = 0 the dual is (sum_i y_i c_i - 1/2 <c, K c>) / C.

    Parameters
    ----------
    C : float
    tol : float, default=1e-3
        Of libsvm.
    """

    def __init__(self, C: float, tol: float = 1e-3) -> None:
        self.C, self.tol = float(C), tol
        self.kernel_weight = -0.5 / self.C

    def solve(self, K: np.ndarray, y: np.ndarray, rough: bool = False) -> DualSolution:
        """As `Loss.solve`; y holds -1 and +1."""
        svc = SVC(C=self.C, kernel="precomputed", tol=10 * self.tol if rough else self.tol).fit(K, y)
        coef = np.zeros(len(y))
        coef[svc.support_] = svc.dual_coef_[0]
        value = (y @ coef - 0.5 * coef @ (K @ coef)) / self.C
        return DualSolution(coef, float(svc.intercept_[0]), float(value))

    def risk(self, K: np.ndarray, y: np.ndarray, solution: DualSolution) -> float:
        """As `Loss.risk`."""
        scores = K @ solution.coef
        hinge = np.maximum(0.0, 1.0 - y * (scores + solution.intercept))
        return float(hinge.sum() + 0.5 / self.C * solution.coef @ scores)


class SquaredLoss:
    """sum_i (y_i - f(x_i))^2 + eta |f|^2 without a bias: targets are to be centred.

    With c = (K + eta I)^-1 y at the optimum the dual is 2 eta <c, y> - eta^2 <c, c> - eta <c, K c>; in the paper's
    scaling of c the middle term has the factor 1/4 and a minus (its text has a plus).

    Parameters
    ----------
    eta : float
    """

    def __init__(self, eta: float) -> None:
        self.eta = float(eta)
        self.kernel_weight = -self.eta

    def solve(self, K: np.ndarray, y: np.ndarray, rough: bool = False) -> DualSolution:
        """As `Loss.solve`."""
        system = K.copy()
        system[np.diag_indices_from(system)] += self.eta
        try:
            factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            largest = float(np.diag(K).max())
            raise ValueError(
                f"eta is {self.eta:g}, too little beside kernel values up to {largest:g} for the system to be solved"
            ) from None
        coef = cho_solve(factor, y, check_finite=False)
        return DualSolution(coef, 0.0, float(self.eta * coef @ y))

    def risk(self, K: np.ndarray, y: np.ndarray, solution: DualSolution) -> float:
        """As `Loss.risk`."""
        scores = K @ solution.coef
        return float(((y - scores) ** 2).sum() + self.eta * solution.coef @ scores)
