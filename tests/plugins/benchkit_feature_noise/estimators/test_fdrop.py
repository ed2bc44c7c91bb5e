"""FDROP against enumeration."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM


def problem(seed=0, m=30, n=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.8)
    y = np.where(X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=m) > 0, 1, -1)
    return X, y


def objective(coef, intercept, X, y, C, K):
    """1/2 |w|^2 + C sum of worst-case hinge losses, by enumerating the deleted sets."""
    n = X.shape[1]
    sets = [list(deleted) for count in range(K + 1) for deleted in combinations(range(n), count)]
    total = 0.0
    for x, label in zip(X, y, strict=True):
        gains = label * x * coef
        worst = max(sum(gains[deleted]) for deleted in sets)
        total += max(0.0, 1 - label * intercept - gains.sum() + worst)
    return 0.5 * coef @ coef + C * total


def test_deleting_everything_leaves_no_weight():
    X, y = problem()
    model = FeatureDroppingSVM(C=1.0, n_deleted=4).fit(X, y)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-4)


@pytest.mark.filterwarnings("ignore:the gap is")  # of the general solver
@pytest.mark.parametrize("solver", ["structured", "osqp"])
@pytest.mark.parametrize("K", [1, 2])
def test_objective_is_the_minimum_of_the_enumerated_one(K, solver):
    X, y = problem(1)
    model = FeatureDroppingSVM(C=0.5, n_deleted=K, solver=solver, tol=1e-8).fit(X, y)
    here = objective(model.coef_[0], model.intercept_[0], X, y, 0.5, K)
    assert model.objective_ == pytest.approx(here, rel=1e-9)
    start = np.append(model.coef_[0], model.intercept_[0])
    perturbed = start + 0.1 * np.random.default_rng(0).normal(size=5)
    other = minimize(lambda p: objective(p[:4], p[4], X, y, 0.5, K), perturbed, method="Nelder-Mead", tol=1e-9)
    assert other.fun >= here - 1e-6


def test_feature_values_make_the_budget_a_sum_of_values():
    X, y = problem(2)
    ones = FeatureDroppingSVM(C=0.5, n_deleted=1, tol=1e-8).fit(X, y)
    twos = FeatureDroppingSVM(C=0.5, n_deleted=2, feature_values=np.full(4, 2.0), tol=1e-8).fit(X, y)
    np.testing.assert_allclose(twos.coef_, ones.coef_, atol=1e-5)


def test_stopping_early_is_reported():
    X, y = problem()
    with pytest.warns(ConvergenceWarning, match="OSQP ended"):
        FeatureDroppingSVM(n_deleted=1, max_iter=5, solver="osqp").fit(X, y)


@pytest.mark.parametrize("params", [{"n_deleted": -1}, {"n_deleted": 5}, {"C": -1}, {"solver": "magic"}])
def test_bad_parameters_are_named(params):
    X, y = problem()
    with pytest.raises(ValueError, match=next(iter(params))):
        FeatureDroppingSVM(**params).fit(X, y)
