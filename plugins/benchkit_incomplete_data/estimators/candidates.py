"""Fitting the candidates of a tuning grid together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from numbers import Number
from typing import Any

from benchkit_incomplete_data.estimators.imputed_learners import Completed, ImputedKernelMachine
from benchkit_incomplete_data.solvers.infinite_imputations import Mixture

_OF_THE_PRIOR = ("prior", "prior_params", "random_state")
_OF_THE_KERNEL = ("kernel", "gamma")


def fit_candidates(estimators: Sequence[ImputedKernelMachine], X: Any, y: Any) -> list[ImputedKernelMachine]:
    """Fit estimators of one class, doing what they share once: each prior imputation, and each run of Algorithm 1.

    Candidates that differ by ``max_iter`` alone are stages of one run. Each is as its own ``fit`` would leave it, if
    ``random_state`` is a number.

    Parameters
    ----------
    estimators : sequence of estimators
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)

    Returns
    -------
    list of estimators
        Fitted, in the same order.
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
