"""Step 2 of Algorithm 1: an imputation that betters the objective while the learner is held fixed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from benchkit_incomplete_data.solvers.kernels import Kernel, SquaredDistance
from benchkit_incomplete_data.solvers.observed import observed_box, observed_moments, typical_deviation
from benchkit_incomplete_data.solvers.spectral_projected_gradient import minimise

_MAX_EVALUATIONS = 30
_TOL = 0.1


@dataclass(frozen=True)
class Incomplete:
    """Training rows, what is missing in them, and what an imputation may put there.

    ``prior`` are the rows with the prior's imputations, within the box Z_X of the ranges observed, ``lower`` to
    ``upper``; ``location`` are the means of what is observed, and ``unit`` a deviation from them that is typical.
    """

    prior: np.ndarray
    missing: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    location: np.ndarray
    unit: float

    @classmethod
    def from_rows(cls, X: np.ndarray, imputed: np.ndarray) -> Self:
        """Of rows with NaN and the same rows filled in; both of shape (n_samples, n_features)."""
        missing = np.isnan(X)
        lower, upper = observed_box(X)
        prior = np.where(missing, np.clip(imputed, lower, upper), X)
        return cls(prior, missing, lower, upper, observed_moments(X)[0], typical_deviation(X))


class FixedLearner:
    """a <c, K(omega) c> + lambda Q(omega) as a function of one imputation omega, c held fixed.

    a < 0 is the ``kernel_weight``, lambda the ``trade_off``. Rows with c_i = 0 stay at the prior, where Q is least. The
    rest is searched in float32, which is enough for a direction: an imputation is judged in float64 afterwards. Kernels
    of differences see rows around ``origin``, the observed means, since float32 keeps few digits of values far from 0.
    """

    def __init__(
        self,
        data: Incomplete,
        kernel: Kernel,
        regulariser: SquaredDistance,
        trade_off: float,
        kernel_weight: float,
        coef: np.ndarray,
    ) -> None:
        self.data, self.kernel, self.regulariser = data, kernel, regulariser
        self.trade_off, self.kernel_weight = trade_off, kernel_weight
        self.support = np.flatnonzero(coef)
        self.coef = coef[self.support].astype(np.float32)
        self.origin = data.location if kernel.of_differences else np.zeros_like(data.location)
        self.prior = self._around_origin(data.prior[self.support])
        self.missing = data.missing[self.support]
        resting = data.prior[coef == 0]
        self.rest = trade_off * regulariser.value_and_gradient(kernel, resting, resting)[0] if len(resting) else 0.0

    def _around_origin(self, values: np.ndarray) -> np.ndarray:
        return (values - self.origin).astype(np.float32)

    def value_and_gradient(self, omega: np.ndarray) -> tuple[float, np.ndarray]:
        """Value where the support rows less ``origin`` are these, and its gradient: 0 where a value was observed."""
        fit, fit_gradient = self.kernel.quadratic(omega, self.coef)
        cost, gradient = self.regulariser.value_and_gradient(self.kernel, omega, self.prior)
        gradient *= self.trade_off
        fit_gradient *= self.kernel_weight
        gradient += fit_gradient
        gradient *= self.missing
        return self.kernel_weight * fit + self.trade_off * cost + self.rest, gradient

    def improve(self, starts: Iterable[np.ndarray], bound: float) -> Iterator[np.ndarray]:
        """Imputations of shape (n_samples, n_features) of value below ``bound``, one a start at most."""
        if not self.missing.any():
            return
        lower, upper = self._around_origin(self.data.lower), self._around_origin(self.data.upper)
        for start in starts:
            rows = np.clip(self._around_origin(start[self.support]), lower, upper)
            minimum = minimise(self.value_and_gradient, rows, lower, upper, _MAX_EVALUATIONS, _TOL, self.data.unit)
            if minimum.value < bound:
                omega = self.data.prior.copy()
                # The observed entries keep their float64.
                place = self.support[:, None], np.arange(omega.shape[1])
                bounded = np.clip(self.origin + minimum.point, self.data.lower, self.data.upper)
                omega[place] = np.where(self.missing, bounded, omega[place])
                yield omega
