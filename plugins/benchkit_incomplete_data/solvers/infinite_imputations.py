"""Algorithm 1 of Dick, Haider & Scheffer 2008: weighted infinite imputations.

Where no imputation lowers the objective alone, several may that do together. By Danskin's theorem the slope of the
objective towards an imputation is the largest over all optimal c. Where rows are the same, or the kernel matrix is
nearly singular, there are many (or nearly optimal ones), each step 2 betters the objective for one of them, and the
others undo it: Algorithm 1 creeps or stands still above the optimum. Then a distribution q over imputations is built
up that betters it for all: each learner is that of the mixture a little way towards q, so that it is the optimal c
which the imputations found so far suit least.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.linalg import null_space
from sklearn.exceptions import ConvergenceWarning

from benchkit_incomplete_data.solvers.imputation_search import FixedLearner, Incomplete
from benchkit_incomplete_data.solvers.kernels import Kernel, SquaredDistance
from benchkit_incomplete_data.solvers.losses import DualSolution, Loss


def reduce_support(points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weights with the same mean of the points, at most n_dimensions + 1 of them positive (Caratheodory).

    The points, shape (n_points, n_dimensions), are (K(omega) c, Q(omega)) of each imputation: what Theorem 1 of Dick,
    Haider & Scheffer 2008 must keep. Their weights are positive, of sum 1.
    """
    weights = weights.copy()
    scale = np.abs(points).max(axis=0)
    lifted = np.column_stack([points / np.where(scale > 0, scale, 1.0), np.ones(len(points))])
    while (kept := np.flatnonzero(weights > 0)).size > points.shape[1] + 1:
        direction = null_space(lifted[kept].T)[:, 0]
        # The ones make it sum to 0, so some of it is positive: move until the first weight is used up.
        positive = direction > 0
        ratios = weights[kept][positive] / direction[positive]
        weights[kept] -= ratios.min() * direction
        weights[kept[positive][ratios.argmin()]] = 0.0
        weights[weights < 0] = 0.0
    return weights / weights.sum()


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
    known within a factor of 1.6. ``old`` and ``new`` are kernel matrices with trade-off times regulariser, ``last`` the
    learner for the old one, ``guess`` the first theta tried.
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


# How far towards q the learners look, the farther first, and how many imputations may join at each.
_AHEAD = (0.1, 0.01, 0.001)
_MOST = 8
# What is promised to fall by less than this part of the objective is rounding and the learners' tolerance.
_NEGLIGIBLE = 1e-4


@dataclass(frozen=True)
class Direction:
    """A distribution over imputations to move towards; ``measured`` is kernel matrix, and weighted regulariser."""

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

    ``current`` is the kernel matrix and the penalty of the mixture, ``last`` the learner there; ``measure`` gives both
    of an imputation, and ``better_imputations`` is step 2: imputations whose value for a learner is below a bound.
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


_PATIENCE = 3
_FIRST_STEP = 0.05
_RANDOM_STARTS = 2
# Where so few values are missing, a start is cheap and a valley that all others miss may be narrow.
_FEW, _FEW_STARTS = 30, 10


@dataclass(frozen=True)
class Mixture:
    """A distribution over finitely many imputations, the learner for its kernel matrix, and the objective.

    That is max_c a <c, K(p) c> - R*(c) + lambda Q(p).
    """

    imputations: tuple[np.ndarray, ...]
    weights: np.ndarray
    solution: DualSolution
    objective: float


@dataclass(frozen=True)
class Problem:
    """Optimization Problem 3: minimise max_c (a <c, K(p) c> - R*(c)) + lambda Q(p) over distributions p."""

    loss: Loss
    kernel: Kernel
    regulariser: SquaredDistance
    trade_off: float
    data: Incomplete
    y: np.ndarray

    def measure(self, omega: np.ndarray) -> tuple[np.ndarray, float]:
        """K(omega), and lambda Q(omega)."""
        cost, _ = self.regulariser.value_and_gradient(self.kernel, omega, self.data.prior)
        return self.kernel.matrix(omega, omega), self.trade_off * cost

    def start(self) -> Mixture:
        """All weight on the prior's imputation: the single imputation."""
        K, penalty = self.measure(self.data.prior)
        solution = self.loss.solve(K, self.y)
        return Mixture((self.data.prior,), np.ones(1), solution, solution.value + penalty)


class Advance(NamedTuple):
    """The next mixture, its kernel matrix and penalty, and how far the last one was left."""

    mixture: Mixture
    measured: tuple[np.ndarray, float]
    theta: float


def optimise(problem: Problem, max_iter: int, tol: float, rng: np.random.RandomState) -> list[Mixture]:
    """The mixtures after 0, 1, ... iterations; the objective falls from each to the next.

    It ends after ``max_iter`` iterations, where step 2 finds nothing better (the last mixture is then listed again), or
    where three iterations in a row lowered the objective by less than ``tol`` of its value each. An iteration that
    follows a slow one, or in which no single imputation lowers the objective, looks for several that do together.
    ``rng`` draws the random restarts of step 2.
    """
    mixtures = [problem.start()]
    current = problem.measure(problem.data.prior)
    guess, slow = _FIRST_STEP, 0
    for _ in range(max_iter):
        last = mixtures[-1]
        advance, promised = None, 0.0
        if slow == 0:
            advance, nothing_better = _advance_by_one(problem, last, current, guess, rng)
            if nothing_better:
                return [*mixtures, last]
        if advance is None:
            advance, promised = _advance_by_several(problem, last, current, guess, rng)
        if advance is None and slow > 0:
            advance, _ = _advance_by_one(problem, last, current, guess, rng)
        if advance is None:
            if promised > 0:
                _warn(last, promised)
            return [*mixtures, last]
        mixture, current, theta = advance
        guess = min(1.0, 1.5 * theta)
        if len(mixture.weights) > len(problem.y) + 2:
            mixture, current = _reduce(problem, mixture)
        mixtures.append(mixture)
        slow = slow + 1 if last.objective - mixture.objective < tol * abs(last.objective) else 0
        if slow == _PATIENCE:
            break
    return mixtures


def _advance_by_one(
    problem: Problem, last: Mixture, current: tuple[np.ndarray, float], guess: float, rng: np.random.RandomState
) -> tuple[Advance | None, bool]:
    """Algorithm 1's own iteration, if one start leads to an imputation that lowers the objective.

    The second says that step 2 led to nothing better from any start, the learner held fixed.
    """
    bound = problem.loss.kernel_weight * float(last.solution.coef @ last.solution.product) + current[1]
    nothing_better = True
    for omega in _better_imputations(problem, last, last.solution, bound, rng):
        nothing_better = False
        advance = _move(problem, last, current, Direction.single(omega, problem.measure(omega)), guess)
        if advance is not None:
            return advance, False
    return None, nothing_better


def _advance_by_several(
    problem: Problem, last: Mixture, current: tuple[np.ndarray, float], guess: float, rng: np.random.RandomState
) -> tuple[Advance | None, float]:
    """An iteration towards several imputations at once; None, and what step 2 promises, where none was found."""
    direction, promised = find_direction(
        problem.loss,
        problem.y,
        current,
        last.solution,
        problem.measure,
        lambda solution, bound: _better_imputations(problem, last, solution, bound, rng),
    )
    if direction is None:
        return None, promised
    return _move(problem, last, current, direction, guess), 0.0


def _warn(last: Mixture, promised: float) -> None:
    warnings.warn(
        f"the search for imputations stands still at an objective of {last.objective:.4g}, though step 2 promises up "
        f"to {promised:.2g} less: many learners are optimal here, and each imputation betters the objective for some "
        "of them alone; raise trade_off, or lower C",
        ConvergenceWarning,
        stacklevel=3,
    )


def _better_imputations(
    problem: Problem, last: Mixture, solution: DualSolution, bound: float, rng: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Step 2 with the learner held at ``solution``."""
    learner = FixedLearner(
        problem.data, problem.kernel, problem.regulariser, problem.trade_off, problem.loss.kernel_weight, solution.coef
    )
    return learner.improve(_starts(problem.data, last, rng), bound)


def _move(
    problem: Problem, last: Mixture, current: tuple[np.ndarray, float], direction: Direction, guess: float
) -> Advance | None:
    """Steps 3 to 5; None where no step lowers the objective."""
    step = search_step(problem.loss, problem.y, current, direction.measured, last.solution, guess)
    if not step.objective < last.objective:
        return None
    theta = step.theta
    weights = np.concatenate([(1.0 - theta) * last.weights, theta * direction.weights])
    kept = weights > 0
    known = (*last.imputations, *direction.imputations)
    imputations = tuple(omega for omega, keep in zip(known, kept, strict=True) if keep)
    mixture = Mixture(imputations, weights[kept], step.solution, step.objective)
    return Advance(mixture, mixed(current, direction.measured, theta), theta)


def _starts(data: Incomplete, last: Mixture, rng: np.random.RandomState) -> Iterator[np.ndarray]:
    """Where step 2 starts: the prior, the newest imputation, then anywhere in the box, oftener where gaps are few."""
    yield data.prior
    if len(last.imputations) > 1:
        yield last.imputations[-1]
    few = int(data.missing.sum()) <= _FEW
    for _ in range(_RANDOM_STARTS + _FEW_STARTS * few):
        yield np.where(data.missing, rng.uniform(data.lower, data.upper, data.prior.shape), data.prior)


def _reduce(problem: Problem, mixture: Mixture) -> tuple[Mixture, tuple[np.ndarray, float]]:
    """The mixture on n + 2 imputations, at the same objective (Theorem 1), with its kernel matrix and penalty."""
    measured = [problem.measure(omega) for omega in mixture.imputations]
    points = np.array([np.append(K @ mixture.solution.coef, penalty) for K, penalty in measured])
    weights = reduce_support(points, mixture.weights)
    kept = np.flatnonzero(weights)
    K = sum(weights[place] * measured[place][0] for place in kept)
    penalty = sum(weights[place] * measured[place][1] for place in kept)
    imputations = tuple(mixture.imputations[place] for place in kept)
    reduced = Mixture(imputations, weights[kept], mixture.solution, mixture.objective)
    return reduced, (K, penalty)
