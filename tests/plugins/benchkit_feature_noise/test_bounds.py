"""The theorems' bounds against enumeration, root finding and simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.sparse import csr_matrix
from scipy.special import rel_entr

from benchkit_feature_noise import bounds


def drawn(seed, n=7, m=300):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(-0.3, 1, (m, n)), rng.choice([-1.0, 1.0], m, p=[0.2, 0.8])
    return X, y, rng.normal(size=n) + 1, rng.gamma(1.0, size=n)


def affordable(values, budget):
    """What may be left: masks of shape (n_sets, n_features)."""
    return np.array([left for left in product([0, 1], repeat=len(values)) if (1 - np.array(left)) @ values <= budget])


@pytest.mark.parametrize("seed", range(3))
def test_the_bracket_is_around_the_worst_subset(seed):
    X, y, coef, values = drawn(seed)
    kept = affordable(values, 2.0)
    worst = np.array([(label * (0.2 + kept @ (x * coef))).min() for x, label in zip(X, y, strict=True)])
    for data in (X, csr_matrix(X)):
        greedy, exact, relaxation = bounds.deletion_bracket(coef, 0.2, data, y, values, 2.0)
        assert exact == pytest.approx((worst <= 0).mean())
        assert greedy <= exact <= relaxation


def test_a_gap_is_seen_there_is_none_without_a_budget_and_no_exact_error_above_the_work_limit():
    # Of the margin 11.2 greedy takes 9.7, exact 11.4, the relaxation more.
    problem = np.array([4.0, 5.7, 5.7]), -4.2, np.ones((1, 3)), np.ones(1), np.array([2.0, 3.0, 3.0])
    assert bounds.deletion_bracket(*problem, 6.0) == (0.0, 1.0, 1.0)
    assert bounds.deletion_bracket(*problem, 0.0) == (0.0, 0.0, 0.0)
    assert bounds.deletion_bracket(*problem, 6.0, work_limit=1) == (0.0, None, 1.0)


@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_worst_case_hinge_is_the_slack_of_the_exponential_program(make):
    X, y, w, values = drawn(0, n=4, m=6)
    kept = affordable(np.ones(4), 2)
    expected = [max(0.0, *(kept.sum(1) / 2 - y[i] * (0.3 + kept @ (w * X[i])))) for i in range(6)]
    found = bounds.worst_case_hinge(w, 0.3, make(X), y, np.ones(4), 2)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    with pytest.raises(ValueError, match="total value"):
        bounds.remaining_value(values, values.sum())


@pytest.mark.parametrize("gamma", [0.0, 0.3, 1.0])
def test_gamma_loss_is_no_less_than_the_enumerated_one_and_equals_it_for_whole_budgets(gamma):
    X, y, coef, uneven = drawn(2)
    for values in (uneven, np.ones(7)):
        kept = affordable(values, 2.0)
        required = gamma * (kept @ values) / (values.sum() - 2.0)
        expected = np.array([(label * (kept @ (x * coef)) < required).any() for x, label in zip(X, y, strict=True)])
        found = bounds.gamma_loss(coef, X, y, values, 2.0, gamma)
        assert (expected <= found).all()
        assert 0 < found.mean() < 1
    np.testing.assert_array_equal(found, expected)


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


@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_theorem_3_by_simulation(epsilon):
    rng = np.random.default_rng(1)
    n, m, N, C = 40, 4000, 3, 0.5
    X, y, coef, values = rng.uniform(-1, 1, (m, n)), np.ones(m), np.full(n, C), np.ones(n)
    X += 0.4 * (1 - np.abs(X))  # a margin
    gamma = bounds.corruption_margin(C, N, epsilon)
    assert gamma == pytest.approx(C * np.sqrt(2 * N * np.log(1 / epsilon)))
    bound = bounds.gamma_loss(coef, X, y, values, N, gamma).mean() + epsilon
    order = np.argsort(-X * coef, axis=1)[:, :N]
    corrupted = X.copy()
    np.put_along_axis(corrupted, order, rng.choice([-1.0, 1.0], (m, N)), axis=1)
    assert (corrupted @ coef <= 0).mean() <= bound
    assert bound < 1


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
