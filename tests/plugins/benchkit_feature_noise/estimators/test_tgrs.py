"""The stochastic method against FDROP's objective, with its own lower bound as witness."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from benchkit_deletion.threat import relaxed_deletion
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.tgrs import StochasticFeatureDropping, best_bias


def problem(seed, m=60, n=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.8)
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=m) > 0.2, 1, -1)


def objective(model, X, y, values, budget):
    gains = y[:, None] * X * model.coef_
    removed = (relaxed_deletion(gains, values, budget) * gains).sum(axis=1)
    losses = np.maximum(0, 1 - y * model.intercept_ - gains.sum(axis=1) + removed)
    return 0.5 * (model.coef_**2).sum() + model.C * losses.sum()


@pytest.mark.parametrize(("seed", "fit_intercept"), [(0, True), (3, True), (1, False)])
@pytest.mark.parametrize(
    ("K", "values"), [(0, None), (2, None), (1.5, None), (2.5, [0.5, 1.0, 0.0, 2.0, 1.0, 1.5]), (3, [2.0] * 6)]
)
def test_reaches_fdrops_objective(seed, fit_intercept, K, values):
    X, y = problem(seed)
    given = {"C": [0.01, 0.1, 1.0, 10.0][seed], "n_deleted": K, "feature_values": values}
    exact = FeatureDroppingSVM(**given, fit_intercept=fit_intercept, tol=1e-7).fit(X, y)
    found = StochasticFeatureDropping(**given, fit_intercept=fit_intercept, random_state=0).fit(X, y)
    assert fit_intercept or found.intercept_[0] == 0
    known = objective(found, X, y, np.ones(6) if values is None else np.array(values), K)
    assert found.objective_ == pytest.approx(known, rel=1e-9)
    assert found.dual_objective_ <= exact.objective_ * (1 + 1e-6)
    assert exact.objective_ * (1 - 1e-6) <= found.objective_ <= exact.objective_ * 1.01
    assert found.duality_gap_ <= 0.01 * found.objective_


def test_partial_fit_learns_from_a_stream():
    X, y = problem(3, m=4000)
    model = StochasticFeatureDropping(C=0.01, n_deleted=1, random_state=0)
    for start in range(0, 4000, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=[-1, 1])
    whole = StochasticFeatureDropping(C=0.01, n_deleted=1, random_state=0).fit(X, y)
    assert objective(model, X, y, np.ones(6), 1) < 1.1 * whole.objective_
    assert model.score(X, y) > whole.score(X, y) - 0.03


def test_partial_fit_needs_to_know_the_classes():
    X, y = problem(0)
    with pytest.raises(ValueError, match="expected two"):
        StochasticFeatureDropping().partial_fit(X[y == 1], y[y == 1])
    model = StochasticFeatureDropping().partial_fit(X[y == 1], y[y == 1], classes=[-1, 1])
    with pytest.raises(ValueError, match="other than"):
        model.partial_fit(X, y + 5)


def test_stopping_early_is_reported():
    X, y = problem(0)
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
