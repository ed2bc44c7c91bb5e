"""Algorithm 1 of Dick, Haider & Scheffer 2008: weighted infinite imputations."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchkit_incomplete_data.solvers.imputation_search import FixedLearner, Incomplete
from benchkit_incomplete_data.solvers.joint_direction import Direction, find_direction, mixed
from benchkit_incomplete_data.solvers.kernels import Kernel
from benchkit_incomplete_data.solvers.line_search import search_step
from benchkit_incomplete_data.solvers.losses import DualSolution, Loss
from benchkit_incomplete_data.solvers.regularisers import Regulariser
from benchkit_incomplete_data.solvers.support_reduction import reduce_support

_PATIENCE = 3
_FIRST_STEP = 0.05
_RANDOM_STARTS = 2
# Where so few values are missing, a start is cheap and a valley that all others miss may be narrow.
_FEW, _FEW_STARTS = 30, 10


@dataclass(frozen=True)
class Mixture:
    """A distribution over finitely many imputations, and the learner for it.

    Attributes
    ----------
    imputations : tuple of ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_imputations,)
        Positive, of sum 1.
    solution : DualSolution
        The learner for the mixture's kernel matrix.
    objective : float
        max_c a <c, K(p) c> - R*(c) + lambda Q(p).
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
    regulariser: Regulariser
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

    It ends after ``max_iter`` iterations, where step 2 finds nothing better (the last mixture is then listed again),
    or where three iterations in a row lowered the objective by less than ``tol`` of its value each. An iteration that
    follows a slow one, or in which no single imputation lowers the objective, looks for several that do together.

    Parameters
    ----------
    problem : Problem
    max_iter : int
    tol : float
    rng : RandomState
        Of the random restarts of step 2.
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
        problem.data,
        problem.kernel,
        problem.regulariser,
        problem.trade_off,
        problem.loss.kernel_weight,
        solution.coef,
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
