"""FDROP and TGRS against enumeration, dual problems and each other."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from benchkit_deletion.threat import relaxed_deletion
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM, UniformFeatureDroppingSVM
from benchkit_feature_noise.estimators.tgrs import StochasticFeatureDropping, best_bias


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


def overlapping(seed, m=60, n=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.8)
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=m) > 0.2, 1, -1)


def stochastic_objective(model, X, y, values, budget):
    gains = y[:, None] * X * model.coef_
    removed = (relaxed_deletion(gains, values, budget) * gains).sum(axis=1)
    losses = np.maximum(0, 1 - y * model.intercept_ - gains.sum(axis=1) + removed)
    return 0.5 * (model.coef_**2).sum() + model.C * losses.sum()


@pytest.mark.parametrize(("seed", "fit_intercept"), [(0, True), (3, True), (1, False)])
@pytest.mark.parametrize(
    ("K", "values"), [(0, None), (2, None), (1.5, None), (2.5, [0.5, 1.0, 0.0, 2.0, 1.0, 1.5]), (3, [2.0] * 6)]
)
def test_reaches_fdrops_objective(seed, fit_intercept, K, values):
    X, y = overlapping(seed)
    given = {"C": [0.01, 0.1, 1.0, 10.0][seed], "n_deleted": K, "feature_values": values}
    exact = FeatureDroppingSVM(**given, fit_intercept=fit_intercept, tol=1e-7).fit(X, y)
    found = StochasticFeatureDropping(**given, fit_intercept=fit_intercept, random_state=0).fit(X, y)
    assert fit_intercept or found.intercept_[0] == 0
    known = stochastic_objective(found, X, y, np.ones(6) if values is None else np.array(values), K)
    assert found.objective_ == pytest.approx(known, rel=1e-9)
    assert found.dual_objective_ <= exact.objective_ * (1 + 1e-6)
    assert exact.objective_ * (1 - 1e-6) <= found.objective_ <= exact.objective_ * 1.01
    assert found.duality_gap_ <= 0.01 * found.objective_


def test_partial_fit_learns_from_a_stream():
    X, y = overlapping(3, m=4000)
    model = StochasticFeatureDropping(C=0.01, n_deleted=1, random_state=0)
    for start in range(0, 4000, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=[-1, 1])
    whole = StochasticFeatureDropping(C=0.01, n_deleted=1, random_state=0).fit(X, y)
    assert stochastic_objective(model, X, y, np.ones(6), 1) < 1.1 * whole.objective_
    assert model.score(X, y) > whole.score(X, y) - 0.03


def test_partial_fit_needs_to_know_the_classes():
    X, y = overlapping(0)
    with pytest.raises(ValueError, match="expected two"):
        StochasticFeatureDropping().partial_fit(X[y == 1], y[y == 1])
    model = StochasticFeatureDropping().partial_fit(X[y == 1], y[y == 1], classes=[-1, 1])
    with pytest.raises(ValueError, match="other than"):
        model.partial_fit(X, y + 5)


def test_stopping_the_stochastic_method_early_is_reported():
    X, y = overlapping(0)
    with pytest.warns(ConvergenceWarning, match="after 1 passes"):
        StochasticFeatureDropping(C=100.0, max_iter=1, random_state=0).fit(X, y)


def test_best_bias_minimises_the_sum():
    rng = np.random.default_rng(0)
    for _ in range(50):
        needed, y = rng.normal(size=9), rng.choice([-1.0, 1.0], 9)
        y[:2] = -1, 1
        grid = np.concatenate([needed * y, np.linspace(-4, 4, 801)])
        for price in (np.ones(9), rng.random(9) + 0.1):
            losses = np.maximum(needed - np.outer(grid, y), 0) @ price
            assert price @ np.maximum(needed - y * best_bias(needed, y, price), 0) <= losses.min() + 1e-12
