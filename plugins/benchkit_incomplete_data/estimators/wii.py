"""Weighted infinite imputations: the learner and the distribution of imputations found together.

Dick, Haider & Scheffer 2008.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

from sklearn.utils import check_random_state

from benchkit import check_count, check_not_negative
from benchkit_incomplete_data.estimators.imputed_learners import (
    Completed,
    ImputedKernelMachine,
    ImputedRidge,
    ImputedSVC,
)
from benchkit_incomplete_data.solvers.infinite_imputations import Mixture, Problem, optimise
from benchkit_incomplete_data.solvers.kernels import SquaredDistance


class InfiniteImputations(ImputedKernelMachine):
    """Algorithm 1 in place of a single imputation."""

    trade_off: float
    regulariser: Any
    max_iter: int
    tol: float

    @property
    def most_iterations(self) -> int:
        """``max_iter``, checked."""
        check_count(0, max_iter=self.max_iter)
        return int(self.max_iter)

    def optimise(self, problem: Problem, most_iterations: int) -> list[Mixture]:
        """The mixtures after 0, 1, ... iterations."""
        check_not_negative(tol=self.tol)
        return optimise(problem, most_iterations, self.tol, check_random_state(self.random_state))

    def _regulariser(self) -> SquaredDistance:
        return SquaredDistance() if self.regulariser is None else self.regulariser

    def _trade_off(self) -> float:
        check_not_negative(trade_off=self.trade_off)
        return float(self.trade_off)


@dataclass(eq=False, repr=False)
class InfiniteImputationsSVC(InfiniteImputations, ImputedSVC):
    """Support vector machine and distribution of imputations p that minimise a joint objective.

        min over f, p  sum_i [1 - y_i f(x_i)]_+ + 1/(2C) |f|^2 + trade_off Q(p)

    with the kernel averaged over p, found by Algorithm 1: from the prior's imputation, each iteration fits the
    learner, looks for an imputation that betters the objective with the learner held fixed, and mixes it in.

    Parameters
    ----------
    kernel, C, gamma, prior, prior_params
        As in `ImputedSVC`, of the prior's imputation.
    trade_off : float, default=10.0
        lambda >= 0. Large: the single imputation by the prior; 0: whatever fits best.
    regulariser : object or None, default=None
        Q, the like of `benchkit_incomplete_data.solvers.kernels.SquaredDistance`, which it is where None.
    max_iter : int, default=40
        0 is the single imputation.
    tol : float, default=1e-4
        The end: three iterations in a row lower the objective by less than this part of it.
    random_state : int, RandomState or None
        Of the imputer, and of restarts where a search for an imputation fails.

    Attributes
    ----------
    imputations_ : ndarray of shape (n_imputations, n_samples, n_features)
        At most n_samples + 2 of them (Theorem 1).
    imputation_weights_ : ndarray of shape (n_imputations,)
        Positive, of sum 1.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
    n_iter_ : int
        The one in which nothing better was found included.
    prior_, classes_, n_features_in_
        As in `ImputedSVC`.
    """

    trade_off: float = 10.0
    regulariser: Any = None
    max_iter: int = 40
    tol: float = 1e-4


@dataclass(eq=False, repr=False)
class InfiniteImputationsRidge(InfiniteImputations, ImputedRidge):
    """Kernel ridge regression and distribution of imputations p that minimise a joint objective.

        min over f, p  sum_i (y_i - f(x_i))^2 + eta |f|^2 + trade_off Q(p)

    Targets are centred and divided by their standard deviation, so ``trade_off`` is in units of their variance.

    Parameters
    ----------
    kernel, eta, gamma, prior, prior_params
        As in `ImputedRidge`.
    trade_off : float, default=1.0
    regulariser, max_iter, tol, random_state
        As in `InfiniteImputationsSVC`.

    Attributes
    ----------
    imputations_, imputation_weights_, objective_path_, n_iter_, prior_, n_features_in_
        As in `InfiniteImputationsSVC`.
    """

    trade_off: float = 1.0
    regulariser: Any = None
    max_iter: int = 40
    tol: float = 1e-4


_OF_THE_PRIOR = ("prior", "prior_params", "random_state")
_OF_THE_KERNEL = ("kernel", "gamma")


def fit_candidates(estimators: Sequence[ImputedKernelMachine], X: Any, y: Any) -> list[ImputedKernelMachine]:
    """Fit estimators of one class, doing what they share once: each prior imputation, and each run of Algorithm 1.

    Candidates that differ by ``max_iter`` alone are stages of one run. Each is as its own ``fit`` would leave it, if
    ``random_state`` is a number. Returns the same objects, in the same order.
    """
    longest: dict[Hashable, int] = {}
    for estimator in estimators:
        run = _key_of_run(estimator)
        longest[run] = max(longest.get(run, 0), estimator.most_iterations)
    completed: dict[Hashable, Completed] = {}
    runs: dict[Hashable, list[Mixture]] = {}
    for estimator in estimators:
        rows, targets = estimator.validate_training(X, y)
        prior, run = _key_of_prior(estimator), _key_of_run(estimator)
        if prior not in completed:
            completed[prior] = estimator.complete(rows, targets)
        problem = estimator.pose(completed[prior], targets)
        if run not in runs:
            runs[run] = estimator.optimise(problem, longest[run])
        estimator.keep(runs[run][: estimator.most_iterations + 1], problem.data)
    return list(estimators)


def _key_of_run(estimator: ImputedKernelMachine) -> Hashable:
    params = estimator.get_params(deep=False)
    return _identity({name: value for name, value in params.items() if name != "max_iter"})


def _key_of_prior(estimator: ImputedKernelMachine) -> Hashable:
    params = estimator.get_params(deep=False)
    # Only the class-wise mean in feature space depends on the kernel.
    by_kernel = isinstance(estimator.prior, str) and estimator.prior == "class-mean"
    return _identity({name: params[name] for name in _OF_THE_PRIOR + (_OF_THE_KERNEL if by_kernel else ())})


def _identity(value: Any) -> Hashable:
    """Equal for equal plain values; other objects, such as imputers, are equal to themselves alone."""
    if value is None or isinstance(value, str | Number):
        return type(value), value
    if isinstance(value, Mapping):
        return frozenset((name, _identity(item)) for name, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(_identity(item) for item in value)
    return id(value)
