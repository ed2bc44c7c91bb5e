"""Fitting the candidates of a tuning grid together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchkit_incomplete_data.imputed_learners import Completed, ImputedKernelMachine
from benchkit_incomplete_data.infinite_imputations import Mixture

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
    longest: dict[str, int] = {}
    for estimator in estimators:
        run = _key_of_run(estimator)
        longest[run] = max(longest.get(run, 0), estimator.most_iterations)
    completed: dict[str, Completed] = {}
    runs: dict[str, list[Mixture]] = {}
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


def _key_of_run(estimator: ImputedKernelMachine) -> str:
    params = estimator.get_params(deep=False)
    return repr(sorted((name, repr(value)) for name, value in params.items() if name != "max_iter"))


def _key_of_prior(estimator: ImputedKernelMachine) -> str:
    params = estimator.get_params(deep=False)
    # Only the class-wise mean in feature space depends on the kernel.
    names = _OF_THE_PRIOR + (_OF_THE_KERNEL if estimator.prior == "class-mean" else ())
    return repr([repr(params[name]) for name in names])
