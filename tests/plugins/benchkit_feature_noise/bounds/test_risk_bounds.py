"""The theorems' bounds against enumeration, root finding and simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import rel_entr

from benchkit_feature_noise.bounds import risk_bounds as bounds
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.worst_case import worst_case_hinge


@pytest.mark.parametrize("gamma", [0.0, 0.3, 1.0])
def test_gamma_loss_is_the_enumerated_one_and_the_relaxed_one_is_above(gamma):
    rng = np.random.default_rng(0)
    n, m, budget = 7, 300, 2.0
    X, y, coef = rng.uniform(-0.3, 1, (m, n)), rng.choice([-1.0, 1.0], m, p=[0.2, 0.8]), rng.normal(size=n) + 1.5
    values = rng.gamma(1.0, size=n)
    kept = np.array([subset for subset in product([0, 1], repeat=n) if (1 - np.array(subset)) @ values <= budget])
    required = gamma * (kept @ values) / (values.sum() - budget)
    expected = [(label * (kept @ (x * coef)) < required).any() for x, label in zip(X, y, strict=True)]
    exact = bounds.gamma_loss(coef, X, y, values, budget, gamma)
    np.testing.assert_array_equal(exact, expected)
    assert 0 < exact.mean() < 1
    assert (exact <= bounds.gamma_loss(coef, X, y, values, budget, gamma, inner="relaxed")).all()


@given(st.floats(0.001, 0.999), st.floats(1e-6, 5))
def test_kl_inverse_is_the_root(empirical, limit):
    def excess(epsilon):
        return rel_entr(empirical, epsilon) + rel_entr(1 - empirical, 1 - epsilon) - limit

    top = 1 - 1e-15
    expected = brentq(excess, empirical, top, xtol=1e-15) if excess(top) > 0 else 1.0
    assert bounds.kl_inverse(empirical, limit) == pytest.approx(expected, abs=1e-9)


def test_kl_inverse_at_the_ends():
    assert bounds.kl_inverse(0.0, 0.5) == pytest.approx(1 - np.exp(-0.5))
    assert bounds.kl_inverse(1.0, 0.5) == 1.0
    assert bounds.kl_inverse(0.25, 0.0) == pytest.approx(0.25)


def test_complexity_sums_over_features():
    values = np.array([0.5, 1.0, 100.0])
    expected = np.log(1000 / 0.1) + np.log(4 * 100.5 * 2 / (0.3 * 0.5)) + np.log(4 * 100.5 * 2 / 0.3)
    expected += np.log(4 * 100.5 * 2 / (0.3 * 100.0))
    assert bounds.complexity(1000, 0.1, 0.3, values, 1.0, 2.0) == pytest.approx(expected)
    # Features worth more than 4 P C / kappa add nothing.
    assert bounds.complexity(1000, 0.1, 1e6, values, 1.0, 2.0) == pytest.approx(np.log(10_000))


@given(st.floats(0, 1), st.integers(50, 10**6), st.floats(0.001, 0.5), st.floats(0.01, 3))
def test_weak_bound_is_weaker_and_both_are_monotone(loss, m, delta, kappa):
    values = np.ones(5)
    for form in ("kl", "weak"):
        here = bounds.deletion_risk_bound(loss, m, delta, kappa, values, 2.0, 0.5, form)
        assert bounds.deletion_risk_bound(loss, 2 * m, delta, kappa, values, 2.0, 0.5, form) <= here + 1e-12
        assert bounds.deletion_risk_bound(loss, m, delta / 2, kappa, values, 2.0, 0.5, form) >= here - 1e-12
        assert bounds.deletion_risk_bound(loss, m, delta, 2 * kappa, values, 2.0, 0.5, form) <= here + 1e-12
        assert here >= loss
    strong = bounds.deletion_risk_bound(loss, m, delta, kappa, values, 2.0, 0.5)
    assert strong <= here + 1e-12


def test_corollary_1_is_the_weak_bound_at_margin_kappa_and_holds_on_fresh_rows():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], (40_000, 3), p=[0.1, 0.9])
    y, coef, values = np.ones(40_000), np.full(3, 0.5), np.ones(3)
    train = slice(0, 20_000)
    found = bounds.deletion_error_bound(coef, X[train], y[train], values, 1.0, 0.5, kappa=0.4)
    loss = bounds.gamma_loss(coef, X[train], y[train], values, 1.0, 0.4).mean()
    assert found == bounds.deletion_risk_bound(loss, 20_000, 0.05, 0.4, values, 1.0, 0.5, form="weak")
    assert bounds.gamma_loss(coef, X[20_000:], y[20_000:], values, 1.0, 0.0).mean() < found < 1
    with pytest.raises(ValueError, match="outside the box"):
        bounds.deletion_error_bound(2 * coef, X[train], y[train], values, 1.0, 0.5, kappa=0.4)
    with pytest.raises(ValueError, match=r"\[-1, 1\]"):
        bounds.deletion_error_bound(coef, 2 * X[train], y[train], values, 1.0, 0.5, kappa=0.4)


@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_theorem_3_by_simulation(epsilon):
    rng = np.random.default_rng(1)
    n, m, N, C = 40, 4000, 3, 0.5
    X, y, coef, values = rng.uniform(-1, 1, (m, n)), np.ones(m), np.full(n, C), np.ones(n)
    X += 0.4 * (1 - np.abs(X))  # a margin
    gamma = bounds.corruption_margin(C, N, epsilon)
    assert gamma == pytest.approx(C * np.sqrt(2 * N * np.log(1 / epsilon)))
    bound = bounds.corruption_risk_bound(bounds.gamma_loss(coef, X, y, values, N, gamma).mean(), epsilon)
    order = np.argsort(-X * coef, axis=1)[:, :N]
    corrupted = X.copy()
    np.put_along_axis(corrupted, order, rng.choice([-1.0, 1.0], (m, N)), axis=1)
    assert (corrupted @ coef <= 0).mean() <= bound
    assert bound < 1


def test_theorem_4_bounds_the_perceptrons_regret():
    rng = np.random.default_rng(2)
    m, n, C, N = 400, 6, 2.0, 2
    X = rng.normal(size=(m, n))
    X /= np.abs(X).sum(axis=1, keepdims=True)
    y = np.where(rng.random(m) < 0.5, 1, -1)  # nothing to learn: every row is a surprise
    model = OnlineToBatchPerceptron(C=C, noise_budget=N, radius="unit-l1", random_state=0).fit(X, y)
    bound = bounds.regret_bound(C, n, m)
    assert bound == pytest.approx(C * np.sqrt(2 * (n + 1) / m))
    for coef in (np.zeros(n), model.coef_[0], *rng.uniform(-C, C, (20, n))):
        fixed = worst_case_hinge(coef, 0.0, X, y.astype(float), np.ones(n), N).mean()
        assert model.cumulative_loss_ / m <= fixed + bound
    assert bounds.regret_bound(C, n, m, radius=3.0) > bound


def test_corollary_2_adds_both_deviations():
    found = bounds.online_risk_bound(0.1, 0.5, 10_000, np.ones(4), 1.0, delta=0.1)
    assert found == pytest.approx(0.1 + (1.5 + 4 / 3) * np.sqrt(2 * (5 + np.log(20)) / 10_000))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: bounds.complexity(1, 0.1, 1.0, np.ones(2), 1.0, 1.0), "m is 1"),
        (lambda: bounds.complexity(9, 1.5, 1.0, np.ones(2), 1.0, 1.0), "delta"),
        (lambda: bounds.complexity(9, 0.5, 0.0, np.ones(2), 1.0, 1.0), "kappa"),
        (lambda: bounds.complexity(9, 0.5, 1.0, np.array([0.0, 1.0]), 0.5, 1.0), "positive"),
        (lambda: bounds.kl_inverse(1.5, 1.0), "empirical"),
        (lambda: bounds.corruption_margin(1.0, 1, 1.0), "epsilon"),
        (lambda: bounds.deletion_risk_bound(0.1, 9, 0.5, 1.0, np.ones(2), 1.0, 1.0, form="strong"), "form"),
        (lambda: bounds.gamma_loss(np.ones(2), np.ones((1, 2)), np.ones(1), np.ones(2), 1.0, -1.0), "gamma"),
    ],
)
def test_bad_arguments_are_named(call, match):
    with pytest.raises(ValueError, match=match):
        call()
