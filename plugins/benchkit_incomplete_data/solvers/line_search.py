"""Step 3 of Algorithm 1: how far to move from the current mixture of imputations towards a new one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchkit_incomplete_data.solvers.losses import DualSolution, Loss

_SLOPE = 0.03
_WIDTH = 1.6
_MAX_SOLVES = 8
_FACTOR = 4.0


class Step(NamedTuple):
    """A step theta in (0, 1], the learner for the mixture's kernel matrix there, and the objective."""

    theta: float
    solution: DualSolution
    objective: float


def search_step(
    loss: Loss,
    y: np.ndarray,
    old: tuple[np.ndarray, float],
    new: tuple[np.ndarray, float],
    last: DualSolution,
    guess: float,
) -> Step:
    """Minimise R(theta K_new + (1 - theta) K_old) + theta Q_new + (1 - theta) Q_old, which is convex in theta.

    By Danskin's theorem its derivative is a <c, (K_new - K_old) c> + Q_new - Q_old at the optimal c of theta, so each
    learner says on which side the minimum lies. The search ends where the slope is 3 % of that at 0, or the minimum is
    known within a factor of 1.6.

    Parameters
    ----------
    loss : Loss
    y : ndarray of shape (n_samples,)
    old, new : tuple of ndarray of shape (n_samples, n_samples) and float
        Kernel matrix, and trade-off times regulariser.
    last : DualSolution
        The learner for the old kernel matrix.
    guess : float
        The first theta tried.
    """
    (K_old, Q_old), (K_new, Q_new) = old, new
    penalty = Q_new - Q_old
    segment = loss.between(K_old, K_new, y, last, penalty)
    first = segment.slope_at_start()
    low, low_slope, high, high_slope = 0.0, first, 1.0, None
    theta = best = min(max(guess, 1e-6), 1.0)
    least = start = last.value + Q_old
    for _ in range(_MAX_SOLVES):
        value, slope = segment.look(theta)
        objective = value + Q_old + theta * penalty
        if objective < least:
            best, least = theta, objective
        # Past the minimum the slope may be small beside the first and the objective far above its start.
        if (objective < start and abs(slope) <= _SLOPE * abs(first)) or (slope < 0 and theta == 1.0):
            break
        if slope < 0:
            low, low_slope = theta, slope
        else:
            high, high_slope = theta, slope
        if high <= _WIDTH * low:
            break
        if high_slope is None:
            theta = min(1.0, _FACTOR * theta)
        elif low == 0.0:
            theta = high / _FACTOR
        else:
            # Steps differ by orders of magnitude, and slopes fall steeply near 0, where a secant would creep.
            theta = min((low * high_slope - high * low_slope) / (high_slope - low_slope), float(np.sqrt(low * high)))
    solution = segment.solve(best)
    return Step(best, solution, solution.value + Q_old + best * penalty)
