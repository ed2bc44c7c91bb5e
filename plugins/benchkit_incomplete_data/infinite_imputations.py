"""Algorithm 1 of Dick, Haider & Scheffer 2008: weighted infinite imputations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchkit_incomplete_data.imputation_search import FixedLearner, Incomplete
from benchkit_incomplete_data.kernels import Kernel
from benchkit_incomplete_data.line_search import search_step
from benchkit_incomplete_data.losses import DualSolution, Loss
from benchkit_incomplete_data.regularisers import Regulariser
from benchkit_incomplete_data.support_reduction import reduce_support

_PATIENCE = 3
_FIRST_STEP = 0.05
_RANDOM_STARTS = 2


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


def optimise(problem: Problem, max_iter: int, tol: float, rng: np.random.RandomState) -> list[Mixture]:
    """The mixtures after 0, 1, ... iterations; the objective falls from each to the next.

    It ends after ``max_iter`` iterations, where step 2 finds nothing better (the last mixture is then listed again),
    or where three iterations in a row lowered the objective by less than ``tol`` of its value each.

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
        found = _advance(problem, last, current, guess, rng)
        if found is None:
            return [*mixtures, last]
        mixture, current, theta = found
        guess = min(1.0, 1.5 * theta)
        if len(mixture.weights) > len(problem.y) + 2:
            mixture, current = _reduce(problem, mixture)
        mixtures.append(mixture)
        slow = slow + 1 if last.objective - mixture.objective < tol * abs(last.objective) else 0
        if slow == _PATIENCE:
            break
    return mixtures


def _advance(
    problem: Problem, last: Mixture, current: tuple[np.ndarray, float], guess: float, rng: np.random.RandomState
) -> tuple[Mixture, tuple[np.ndarray, float], float] | None:
    """One iteration: the next mixture, its kernel matrix and penalty, and the step; None where nothing is better."""
    loss, coef = problem.loss, last.solution.coef
    K, penalty = current
    value = loss.kernel_weight * float(coef @ (K @ coef)) + penalty
    learner = FixedLearner(
        problem.data, problem.kernel, problem.regulariser, problem.trade_off, loss.kernel_weight, coef
    )
    for omega in learner.improve(_starts(problem.data, last, rng), value):
        new = problem.measure(omega)
        step = search_step(loss, problem.y, current, new, last.solution, guess)
        if step.objective < last.objective:
            theta = step.theta
            weights = np.append((1.0 - theta) * last.weights, theta)
            kept = weights > 0
            imputations = tuple(each for each, keep in zip((*last.imputations, omega), kept, strict=True) if keep)
            mixture = Mixture(imputations, weights[kept], step.solution, step.objective)
            return mixture, (step.K, penalty + theta * (new[1] - penalty)), theta
    return None


def _starts(data: Incomplete, last: Mixture, rng: np.random.RandomState) -> Iterator[np.ndarray]:
    """Where step 2 starts: the prior, the newest imputation, then anywhere in the box."""
    yield data.prior
    if len(last.imputations) > 1:
        yield last.imputations[-1]
    for _ in range(_RANDOM_STARTS):
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
