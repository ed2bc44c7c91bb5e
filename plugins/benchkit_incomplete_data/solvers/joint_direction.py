"""Where no imputation lowers the objective alone: several that do together.

By Danskin's theorem the slope of the objective towards an imputation is the largest over all optimal c. Where rows
are the same, or the kernel matrix is nearly singular, there are many (or nearly optimal ones), each step 2 betters
the objective for one of them, and the others undo it: Algorithm 1 creeps or stands still above the optimum. Here a
distribution q over imputations is built up that betters it for all: each learner is that of the mixture a little way
towards q, so that it is the optimal c which the imputations found so far suit least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from benchkit_incomplete_data.solvers.line_search import search_step
from benchkit_incomplete_data.solvers.losses import DualSolution, Loss

# How far towards q the learners look, the farther first, and how many imputations may join at each.
_AHEAD = (0.1, 0.01, 0.001)
_MOST = 8
# What is promised to fall by less than this part of the objective is rounding and the learners' tolerance.
_NEGLIGIBLE = 1e-4


@dataclass(frozen=True)
class Direction:
    """A distribution over imputations to move towards.

    Attributes
    ----------
    imputations : tuple of ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_imputations,)
        Of sum 1.
    measured : tuple of ndarray of shape (n_samples, n_samples) and float
        Kernel matrix, and trade-off times regulariser.
    """

    imputations: tuple[np.ndarray, ...]
    weights: np.ndarray
    measured: tuple[np.ndarray, float]

    @classmethod
    def single(cls, omega: np.ndarray, measured: tuple[np.ndarray, float]) -> Self:
        """One imputation."""
        return cls((omega,), np.ones(1), measured)

    def joined(self, other: Direction, share: float) -> Direction:
        """With a share of the weight moved to another's imputations."""
        weights = np.concatenate([(1.0 - share) * self.weights, share * other.weights])
        return Direction(self.imputations + other.imputations, weights, mixed(self.measured, other.measured, share))


def mixed(old: tuple[np.ndarray, float], new: tuple[np.ndarray, float], theta: float) -> tuple[np.ndarray, float]:
    """Kernel matrix and penalty of (1 - theta) old + theta new."""
    return (1.0 - theta) * old[0] + theta * new[0], old[1] + theta * (new[1] - old[1])


def find_direction(
    loss: Loss,
    y: np.ndarray,
    current: tuple[np.ndarray, float],
    last: DualSolution,
    measure: Callable[[np.ndarray], tuple[np.ndarray, float]],
    better_imputations: Callable[[DualSolution, float], Iterator[np.ndarray]],
) -> tuple[Direction | None, float]:
    """A direction in which the objective falls, or None and by how much step 2 still promises to lower it.

    Parameters
    ----------
    loss : Loss
    y : ndarray of shape (n_samples,)
    current : tuple of ndarray of shape (n_samples, n_samples) and float
        Kernel matrix and penalty of the mixture.
    last : DualSolution
        The learner there.
    measure : callable
        Kernel matrix and penalty of an imputation.
    better_imputations : callable
        Step 2: imputations whose value for a learner is below a bound.
    """
    objective = last.value + current[1]
    direction: Direction | None = None
    promised = 0.0
    for ahead in _AHEAD:
        for _ in range(_MOST):
            towards = current if direction is None else direction.measured
            base = mixed(current, towards, ahead)
            learner = last if direction is None else loss.between(current[0], towards[0], y, last, 0.0).solve(ahead)
            if learner.value + base[1] < (1.0 - _NEGLIGIBLE * ahead) * objective and direction is not None:
                return direction, 0.0
            bound = _value_of(loss, learner, towards)
            omega = next(better_imputations(learner, bound), None)
            if omega is None:
                promised = 0.0
                break
            new = Direction.single(omega, measure(omega))
            promised = bound - _value_of(loss, learner, new.measured)
            if promised <= _NEGLIGIBLE * abs(objective):
                break
            if direction is None:
                direction = new
                continue
            share = search_step(loss, y, base, mixed(current, new.measured, ahead), learner, guess=0.5).theta
            direction = direction.joined(new, share)
        if direction is None:
            return None, 0.0
    return None, promised if promised > _NEGLIGIBLE * abs(objective) else 0.0


def _value_of(loss: Loss, solution: DualSolution, measured: tuple[Any, float]) -> float:
    """What step 2 lowers: a <c, K c> + lambda Q."""
    K, penalty = measured
    return loss.kernel_weight * float(solution.coef @ (K @ solution.coef)) + penalty
