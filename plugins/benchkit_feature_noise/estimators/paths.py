"""Fitting the candidates of a tuning grid together: `lp` and `fdrop` at several C and budgets.

Programs of the same rows and values share their reduction, their layout and the threads, and stop where the weights
serve choosing among them, although no bound may prove that yet; the chosen parameters are fitted again at their own
tolerance. Candidates of other solvers, and those that differ otherwise, are fitted one by one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchkit_feature_noise.solvers import structured

# Of slacks times multipliers, which bound the objective's error where the multipliers are feasible. Waiting for a
# certified gap of 1e-3 takes a quarter longer; it changed 2 of 72 choices where this changes 8, which lost .0001 on
# average.
SELECTION_TOL = 1e-2


def fit_path(estimators: Sequence[Any], X: Any, y: Any, tol: float = SELECTION_TOL) -> list[Any]:
    """Fit `RobustLinearProgram`s or `FeatureDroppingSVM`s to the same data; returns the same objects, in their order.

    ``tol`` is what slacks times multipliers sum to when the structured method stops, where the estimator's own is not
    looser; 0 for certified gaps of the estimators' own. What they say of their solution (``objective_``,
    ``duality_gap_``) is true of it; the gap may be wider than ``tol``, above all at large C. ``converged_`` is about
    ``tol`` as it is defined here.
    """
    alike: dict[Any, list[Any]] = {}
    for estimator in estimators:
        alike.setdefault(_in_common(estimator), []).append(estimator)
    for together in alike.values():
        if len(together) < 2 or not _structured(together[0], X):
            for estimator in together:
                estimator.fit(X, y)
        else:
            _fit_together(together, X, y, tol)
    return list(estimators)


def _structured(estimator: Any, X: Any) -> bool:
    plain = estimator.solver == "structured" and getattr(estimator, "chunks", 1) == 1
    return plain and estimator.features(X).one_hot(X)


def _in_common(estimator: Any) -> tuple[Any, ...]:
    """What estimators have in common whose programs have the same rows and values."""
    values = None if estimator.feature_values is None else np.asarray(estimator.feature_values, float).tobytes()
    options = tuple(getattr(estimator, name, None) for name in ("solver", "max_iter", "n_threads", "chunks"))
    return type(estimator), values, tuple(map(tuple, estimator.groups)), options


def _fit_together(estimators: Sequence[Any], X: Any, y: Any, tol: float) -> None:
    first, *others = estimators
    rows, signs = first.validated(X, y)
    reduced = first.reduced(rows)
    for estimator in others:
        estimator.checked_values(estimator.validated(X, y)[0])
    programs = [estimator.program(reduced, signs) for estimator in estimators]
    budgets = [estimator.prepared_for for estimator in estimators]
    tols = [max(estimator.tol, tol) for estimator in estimators]
    solutions = structured.solve_together(programs, budgets, tols, first.max_iter, first.n_threads, certify=tol == 0)
    for estimator, program, solution, reached in zip(estimators, programs, solutions, tols, strict=True):
        if solution.problem:
            warnings.warn(f"{solution.problem} (tol={reached:g})", ConvergenceWarning, stacklevel=3)
        estimator.adopt(program, solution)
