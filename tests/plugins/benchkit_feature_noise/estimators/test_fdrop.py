"""FDROP against enumeration, its dual problem, and where the same features go from all rows."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM, UniformFeatureDroppingSVM


def problem(seed=0, m=30, n=4):
    """Columns that say the same, so that what is left of them has weights."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], m)
    return (1.2 * y[:, None] + rng.normal(size=(m, n))) * (rng.random((m, n)) < 0.8), y


def objective(point, X, y, C, counts, uniform=False):
    """1/2 |w|^2 + C sum of worst-case hinge losses, by enumerating sets of so many features to delete."""
    coef, n = point[:-1], X.shape[1]
    sets = [list(deleted) for count in counts for deleted in combinations(range(n), count)]
    gains = y[:, None] * X * coef
    margins = [y * point[-1] + gains.sum(axis=1) - gains[:, deleted].sum(axis=1) for deleted in sets]
    losses = np.maximum(0.0, 1 - np.array(margins))  # by set and row
    return 0.5 * coef @ coef + C * (losses.sum(axis=1).max() if uniform else losses.max(axis=0).sum())


def assert_minimal(model, reached):
    """An objective of weights and bias is what the model states, and none nearby is lower."""
    point = np.append(model.coef_[0], model.intercept_[0])
    assert model.objective_ == pytest.approx(reached(point), rel=1e-9)
    start = point + 0.1 * np.random.default_rng(0).normal(size=5)
    other = minimize(reached, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
    assert other.fun >= model.objective_ - 1e-6


@pytest.mark.filterwarnings("ignore:the gap is")  # of the general solver
@pytest.mark.parametrize(("solver", "exactly"), [("structured", False), ("osqp", False), ("osqp", True)])
@pytest.mark.parametrize("K", [1, 2])
def test_objective_is_the_minimum_of_the_enumerated_one(K, solver, exactly):
    X, y = problem()
    model = FeatureDroppingSVM(C=0.3, n_deleted=K, exactly=exactly, solver=solver, tol=1e-8).fit(X, y)
    assert_minimal(model, lambda point: objective(point, X, y, 0.3, [K] if exactly else range(K + 1)))


@pytest.mark.filterwarnings("ignore:the gap is")  # of the general solver
@pytest.mark.parametrize("exactly", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("K", [0, 2, 2.5])
def test_the_dual_problem_has_no_gap(K, fit_intercept, exactly):
    X, y = problem()
    common = {"C": 0.3, "n_deleted": K, "exactly": exactly, "fit_intercept": fit_intercept, "tol": 1e-8}
    primal = FeatureDroppingSVM(**common, solver="osqp").fit(X, y)
    dual = FeatureDroppingSVM(**common, solver="osqp", formulation="dual").fit(X, y)
    assert dual.dual_objective_ == pytest.approx(primal.objective_, rel=1e-6)
    assert dual.objective_ == pytest.approx(primal.objective_, rel=1e-6)
    np.testing.assert_allclose(dual.coef_, primal.coef_, atol=1e-4)
    assert dual.n_iter_ != primal.n_iter_  # of another problem


@pytest.mark.parametrize("C", [0.05, 0.5, 100.0])
@pytest.mark.parametrize("K", [0, 1, 2])
def test_deletion_from_all_rows_alike_is_minimised_and_hurts_less_than_row_by_row(K, C):
    X, y = problem(1)
    model = UniformFeatureDroppingSVM(C=C, n_deleted=K, tol=1e-7).fit(X, y)
    assert_minimal(model, lambda point: objective(point, X, y, C, [K], uniform=True))
    assert -1e-12 * model.objective_ <= model.duality_gap_ <= 1e-7 * model.objective_
    assert model.objective_ <= FeatureDroppingSVM(C=C, n_deleted=K).fit(X, y).objective_
    assert len(model.worst_set_) == K


def test_stopping_early_is_reported():
    X, y = problem()
    for model in (FeatureDroppingSVM(n_deleted=1, max_iter=5, solver="osqp"), UniformFeatureDroppingSVM(max_iter=5)):
        with pytest.warns(ConvergenceWarning, match="OSQP ended"):
            model.fit(X, y)
        assert model.duality_gap_ > model.tol * model.objective_
