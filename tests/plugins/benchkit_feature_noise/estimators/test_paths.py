"""Candidates fitted together against the same candidates fitted one by one."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.paths import SELECTION_TOL, fit_path
from benchkit_feature_noise.estimators.verification import verify
from benchkit_feature_noise.solvers import structured

VALUES = np.random.default_rng(0).uniform(0.2, 3.0, 10)


def breast():
    X, y = load_breast_cancer(return_X_y=True)
    return np.clip(StandardScaler().fit_transform(X[:, :10]), -5, 5), y


def lp_candidates(**common):
    return [
        RobustLinearProgram(C=C, noise_budget=budget, **common) for budget in (0.0, 1.0, 4.0) for C in (0.05, 0.3, 2.0)
    ]


def fdrop_candidates(**common):
    return [FeatureDroppingSVM(C=C, n_deleted=K, **common) for K in (0, 2, 10) for C in (0.01, 0.1, 1.0)]


@pytest.mark.parametrize("make", [lp_candidates, fdrop_candidates])
@pytest.mark.parametrize("common", [{"feature_values": VALUES}, {"fit_intercept": False}])
@pytest.mark.parametrize("tol", [SELECTION_TOL, 0.0])
def test_each_is_as_good_as_fitted_alone(make, common, tol):
    X, y = breast()
    candidates = make(**common)
    together = fit_path([clone(each) for each in candidates], X, y, tol)
    for path, alone in zip(together, candidates, strict=True):
        alone.fit(X, y)
        assert (path.C, path.tol) == (alone.C, alone.tol)
        reached = max(tol, alone.tol) * max(1.0, alone.objective_)
        assert path.duality_gap_ >= -1e-9
        # No bound is waited for where candidates are only compared.
        assert tol > 0 or path.duality_gap_ <= reached
        assert path.dual_objective_ <= alone.objective_ + 1e-9
        assert path.objective_ == pytest.approx(alone.objective_, abs=reached)
        assert path.n_iter_ <= alone.n_iter_
        np.testing.assert_array_equal(path.classes_, alone.classes_)


def test_candidates_wait_for_no_bound():
    X, y = breast()
    X, y = X[:100], np.where(y[:100] == 1, 1.0, -1.0)
    model = RobustLinearProgram(C=200.0, noise_budget=2.0)
    program = model.program(model.reduced(X), y)
    optimum, certified, compared = (
        structured.solve_together([program], [2.0], [tol], certify=certify)[0]
        for tol, certify in ((1e-9, True), (1e-2, True), (1e-2, False))
    )
    assert compared.n_iter < certified.n_iter
    assert compared.problem == ""
    assert compared.dual_objective <= optimum.objective <= compared.objective
    assert compared.objective == pytest.approx(optimum.objective, abs=1e-2 * program.gap_unit(optimum.objective))


@pytest.mark.filterwarnings("ignore:the gap is")  # of the general solver
def test_a_solution_that_fits_a_smaller_box_is_taken_there():
    budget = 2.0
    X, y = breast()
    widest = RobustLinearProgram(C=50.0, noise_budget=budget).fit(X, y)
    radii = [float(np.abs(widest.coef_).max()) * factor for factor in (0.9, 1.1, 2.0)] + [50.0]
    boxes = [RobustLinearProgram(C=C, noise_budget=budget, keep_multipliers=True) for C in radii]
    fit_path(boxes, X, y, tol=0.0)
    assert [model.n_iter_ == 0 for model in boxes] == [False, True, True, False]
    for model, C in zip(boxes, radii, strict=True):
        alone = RobustLinearProgram(C=C, noise_budget=budget, solver="highs", tol=1e-9).fit(X, y)
        assert model.objective_ == pytest.approx(alone.objective_, abs=2e-6)
        assert model.dual_objective_ <= alone.objective_ + 1e-9
        assert all(check.holds for check in verify(model, X, y))


@pytest.mark.filterwarnings("ignore:the gap is")  # of the general solver
def test_candidates_that_differ_otherwise_are_fitted_all_the_same():
    X, y = breast()
    X, y = X[:120], y[:120]
    candidates = [
        RobustLinearProgram(C=0.3, noise_budget=1.0),
        RobustLinearProgram(C=0.3, noise_budget=1.0, margin=2.0),
        RobustLinearProgram(C=0.3, noise_budget=1.0, feature_values=VALUES),
        RobustLinearProgram(C=0.3, noise_budget=1.0, solver="highs"),
        RobustLinearProgram(C=0.3, noise_budget=1.0, fit_intercept=False),
        RobustLinearProgram(C=0.3, noise_budget=1.0, chunks=3, random_state=0),
        FeatureDroppingSVM(C=0.3, n_deleted=1, solver="osqp"),
    ]
    together = fit_path([clone(each) for each in candidates], X, y, tol=0.0)
    for path, alone in zip(together, candidates, strict=True):
        assert path.objective_ == pytest.approx(alone.fit(X, y).objective_, abs=2e-6)
