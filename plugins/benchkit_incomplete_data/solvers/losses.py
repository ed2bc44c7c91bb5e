"""Losses with the dual of Optimization Problem 2: R(c) = max_c a <c, K c> - R*(c), R* independent of K."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

# What stands for the curvature along a pair whose kernel rows are the same, as in libsvm.
_LEAST_CURVATURE = 1e-12
# Steps between looks at the duality gap.
_STRIDE = 50
# Sums and maxima may be taken in any order, so that several entries go at once; infinities are needed.
_ANY_ORDER = {"reassoc", "contract", "nsz", "nnan"}


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_ANY_ORDER)
def ascend(K, y, C, c, rest, tol, enough, most):
    """Raise sum_i y_i c_i - 1/2 <c, K c> over 0 <= y_i c_i <= C, sum_i c_i fixed; c and rest change in place.

    Two entries of c move at a time, by t and -t. With f = y - K c, the first, i, has the largest f among those that may
    grow, and the second, j, brings the most by the quadratic model, (f_i - f_j)^2 / (K_ii + K_jj - 2 K_ij), among those
    that may shrink. K is symmetric, its rows contiguous; y holds -1 and +1; c is within the bounds, ``rest`` is f
    there.

    It ends where no two entries that may move towards one another differ in f by more than ``tol``, where the duality
    gap is at most ``enough``, or after ``most`` steps. Returns the largest such difference of f, and the steps.
    """
    n = len(y)
    low, high = np.minimum(0.0, y * C), np.maximum(0.0, y * C)
    # Added to f, these take out the entries that may not grow, and those that may not shrink.
    full = np.where(c < high, 0.0, -np.inf)
    empty = np.where(c > low, 0.0, np.inf)
    diagonal = np.diag(K).copy()
    gains, nothing = np.empty(n), np.zeros(n)
    largest, smallest = -np.inf, np.inf
    for k in range(n):
        largest = max(largest, rest[k] + full[k])
        smallest = min(smallest, rest[k] + empty[k])
    steps = 0
    while True:
        violation = largest - smallest
        if violation <= tol or steps >= most:
            return violation, steps
        if enough > 0 and steps % _STRIDE == 0:
            middle, gap = 0.5 * (largest + smallest), 0.0
            for k in range(n):
                gap += C * max(0.0, y[k] * (rest[k] - middle)) - c[k] * rest[k]
            if gap <= enough:
                return violation, steps
        i = 0
        while rest[i] + full[i] != largest:
            i += 1
        row_i, diagonal_i = K[i], diagonal[i]
        # Two loops, and a sum with zeros: as one, or without it, they are compiled one entry at a time.
        for k in range(n):
            difference = largest - (rest[k] + empty[k])
            difference = difference if difference > 0.0 else 0.0
            curvature = diagonal_i + diagonal[k] - 2.0 * row_i[k]
            curvature = curvature if curvature > _LEAST_CURVATURE else _LEAST_CURVATURE
            gains[k] = difference * difference / curvature
        most_gain = 0.0
        for k in range(n):
            most_gain = max(most_gain, gains[k] + nothing[k])
        j = 0
        while gains[j] != most_gain:
            j += 1
        row_j = K[j]
        step = (largest - rest[j]) / max(diagonal_i + diagonal[j] - 2.0 * row_i[j], _LEAST_CURVATURE)
        room_i, room_j = high[i] - c[i], c[j] - low[j]
        step = min(step, room_i, room_j)
        c[i] = high[i] if step == room_i else c[i] + step
        c[j] = low[j] if step == room_j else c[j] - step
        full[i] = 0.0 if c[i] < high[i] else -np.inf
        full[j], empty[i] = 0.0, 0.0
        empty[j] = 0.0 if c[j] > low[j] else np.inf
        largest, smallest = -np.inf, np.inf
        for k in range(n):
            moved = rest[k] - step * (row_i[k] - row_j[k])
            rest[k] = moved
            largest = max(largest, moved + full[k])
            smallest = min(smallest, moved + empty[k])
        steps += 1


@njit(cache=True, nogil=True, error_model="numpy")
def mix(old, new, theta, out):
    """(1 - theta) old + theta new into ``out``, which may be one of them; all of shape (n, n)."""
    for i in range(old.shape[0]):
        for j in range(old.shape[1]):
            out[i, j] = old[i, j] + theta * (new[i, j] - old[i, j])


# Steps of pairs per row and in all; libsvm's limit.
_STEPS_PER_ROW, _LEAST_STEPS = 100, 10_000_000


@dataclass(frozen=True)
class DualSolution:
    """The learner for one kernel matrix: f = sum_i c_i k(x_i, .) + intercept, by the representer theorem.

    ``value`` is the dual's at c, the regularised empirical risk sum_i l(y_i, f(x_i)) + eta |f|^2; ``product`` is K c,
    the scores of the training rows less the intercept.
    """

    coef: np.ndarray
    intercept: float
    value: float
    product: np.ndarray


class HingeLoss:
    """sum_i [1 - y_i f(x_i)]_+ + 1/(2C) |f|^2, the bias free; solved two coefficients at a time, as libsvm does.

    With |c_i| <= C, y_i c_i >= 0 and sum_i c_i = 0 the dual is (sum_i y_i c_i - 1/2 <c, K c>) / C. Conditions may be
    violated by ``tol``, as in `sklearn.svm.SVC`.
    """

    def __init__(self, C: float, tol: float = 1e-3) -> None:
        self.C, self.tol = float(C), tol
        self.kernel_weight = -0.5 / self.C  # a < 0 of Optimization Problem 2, for c scaled as in `DualSolution`

    def solve(self, K: np.ndarray, y: np.ndarray) -> DualSolution:
        """Maximise the dual for the kernel matrix K of shape (n_samples, n_samples); y holds -1 and +1."""
        return self.finish(np.ascontiguousarray(K), y, np.zeros(len(y)), y.copy())

    def ascend(
        self, K: np.ndarray, y: np.ndarray, coef: np.ndarray, rest: np.ndarray, tol: float, enough: float
    ) -> tuple[float, int]:
        """Better ``coef`` and ``rest`` = y - K c in place; what is violated at the end, and the steps."""
        most = max(_LEAST_STEPS, _STEPS_PER_ROW * len(y))
        ended: tuple[float, int] = ascend(K, y, self.C, coef, rest, tol, enough, most)
        return ended

    def finish(self, K: np.ndarray, y: np.ndarray, coef: np.ndarray, rest: np.ndarray) -> DualSolution:
        """The learner, from any c and the rest y - K c there; both are changed."""
        violation, steps = self.ascend(K, y, coef, rest, self.tol, 0.0)
        if violation > self.tol:
            warnings.warn(
                f"the support vector machine did not converge in {steps} steps: its conditions are violated by "
                f"{violation:.2g}; scale the features or lower C",
                ConvergenceWarning,
                stacklevel=2,
            )
        size = coef * y
        free = (size > 0) & (size < self.C)
        if free.any():
            intercept = float(rest[free].mean())
        else:
            may_grow, may_shrink = np.where(y > 0, size < self.C, size > 0), np.where(y > 0, size > 0, size < self.C)
            intercept = 0.5 * float(rest[may_grow].max() + rest[may_shrink].min())
        return DualSolution(coef, intercept, self.value(y, coef, rest), y - rest)

    def value(self, y: np.ndarray, coef: np.ndarray, rest: np.ndarray) -> float:
        """(<y, c> - 1/2 <c, K c>) / C where y - K c = rest."""
        return float(0.5 * coef @ (y + rest) / self.C)

    def between(
        self, old: np.ndarray, new: np.ndarray, y: np.ndarray, last: DualSolution, penalty: float
    ) -> _HingeSegment:
        """From a kernel matrix, for which ``last`` is the learner, to another; ``penalty`` is added to slopes."""
        return _HingeSegment(self, old, new, y, last, penalty)


class _HingeSegment:
    """The learners for the kernel matrices (1 - theta) K_old + theta K_new, 0 <= theta <= 1.

    Each starts at the last one's c: its products with both kernel matrices are known.
    """

    # A look ends where the minimum over theta is known but for this share of theta, or at so many times the tolerance.
    _SHARE, _ROUGH = 0.1, 10.0

    def __init__(
        self, loss: HingeLoss, old: np.ndarray, new: np.ndarray, y: np.ndarray, last: DualSolution, penalty: float
    ) -> None:
        self.loss, self.old, self.new, self.y, self.penalty = loss, old, new, y, penalty
        self.coef = last.coef.copy()
        self.rest_old, self.rest_new = y - last.product, y - _product(new, last.coef)
        self._mixed = np.empty_like(old)
        self._theta = 0.0

    def slope_at_start(self) -> float:
        """Derivative in theta at 0 of the dual's value plus theta times the penalty, by the learner known there."""
        return self._slope()

    def look(self, theta: float) -> tuple[float, float]:
        """The dual's value at theta, and the derivative there of the same sum: as good as choosing a step needs."""
        rest = self._mix(theta)
        enough = self._SHARE * theta * abs(self._slope()) * self.loss.C
        self.loss.ascend(self._mixed, self.y, self.coef, rest, self._ROUGH * self.loss.tol, enough)
        self.rest_old = self.y - _product(self.old, self.coef)
        self.rest_new = self.rest_old + (rest - self.rest_old) / theta
        return self.loss.value(self.y, self.coef, rest), self._slope()

    def solve(self, theta: float) -> DualSolution:
        """The learner at theta."""
        return self.loss.finish(self._mixed, self.y, self.coef, self._mix(theta))

    def _mix(self, theta: float) -> np.ndarray:
        """Put the kernel matrix of theta in its place; y less its product with c."""
        if theta != self._theta:
            mix(self.old, self.new, theta, self._mixed)
            self._theta = theta
        return (1.0 - theta) * self.rest_old + theta * self.rest_new

    def _slope(self) -> float:
        return float(0.5 * self.coef @ (self.rest_new - self.rest_old) / self.loss.C) + self.penalty


class SquaredLoss:
    """sum_i (y_i - f(x_i))^2 + eta |f|^2 without a bias: targets are to be centred.

    With c = (K + eta I)^-1 y at the optimum the dual is 2 eta <c, y> - eta^2 <c, c> - eta <c, K c>; in the paper's
    scaling of c the middle term has the factor 1/4 and a minus (its text has a plus).
    """

    def __init__(self, eta: float) -> None:
        self.eta = float(eta)
        self.kernel_weight = -self.eta

    def solve(self, K: np.ndarray, y: np.ndarray) -> DualSolution:
        """Maximise the dual for the kernel matrix K of shape (n_samples, n_samples)."""
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
        return DualSolution(coef, 0.0, float(self.eta * coef @ y), y - self.eta * coef)

    def between(
        self, old: np.ndarray, new: np.ndarray, y: np.ndarray, last: DualSolution, penalty: float
    ) -> _SquaredSegment:
        """From a kernel matrix, for which ``last`` is the learner, to another; ``penalty`` is added to slopes."""
        return _SquaredSegment(self, old, new, y, last, penalty)


class _SquaredSegment:
    """The same for the squared loss: each learner is solved for anew."""

    def __init__(
        self, loss: SquaredLoss, old: np.ndarray, new: np.ndarray, y: np.ndarray, last: DualSolution, penalty: float
    ) -> None:
        self.loss, self.old, self.new, self.y, self.last, self.penalty = loss, old, new, y, last, penalty
        self._at: tuple[float, DualSolution] = 0.0, last

    def slope_at_start(self) -> float:
        """Derivative in theta at 0 of the dual's value plus theta times the penalty, by the learner known there."""
        return self._slope(0.0, self.last)

    def look(self, theta: float) -> tuple[float, float]:
        """The dual's value at theta, and the derivative there of the same sum: as good as choosing a step needs."""
        solution = self.solve(theta)
        return solution.value, self._slope(theta, solution)

    def solve(self, theta: float) -> DualSolution:
        """The learner at theta."""
        if self._at[0] != theta:
            K = (1.0 - theta) * self.old
            K += theta * self.new
            self._at = theta, self.loss.solve(K, self.y)
        return self._at[1]

    def _slope(self, theta: float, solution: DualSolution) -> float:
        # theta (K_new - K_old) = K_theta - K_old, and K_theta c is known: one product will do.
        coef = solution.coef
        if theta > 0.5:
            change = (solution.product - self.old @ coef) / theta
        else:
            change = (self.new @ coef - solution.product) / (1.0 - theta)
        return self.loss.kernel_weight * float(coef @ change) + self.penalty


Loss = HingeLoss | SquaredLoss


def compile_hinge_dual() -> None:
    """Have the dual's ascent compiled, for this process and, on disk, for others."""
    loss, y, K = HingeLoss(1.0), np.array([-1.0, 1.0]), np.eye(2)
    segment = loss.between(K, 2.0 * K, y, loss.solve(K, y), 0.0)
    segment.look(0.5)


def _product(K: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """K c of a symmetric matrix, by the rows whose c is not 0."""
    support = np.flatnonzero(coef)
    if 2 * len(support) > len(coef):
        whole: np.ndarray = K @ coef
        return whole
    part: np.ndarray = coef[support] @ K[support]
    return part
