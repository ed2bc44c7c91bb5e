"""The adaptive estimate of the number of clean rows: by hand, by brute force, and Lemma 2."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchkit_robust_regression.solvers.selection import acceptance_limits, estimate_clean_count

# Zero, or large enough for its square not to vanish in the formulas as the tests write them down.
RESIDUAL = st.floats(-1e6, 1e6).map(lambda value: value if abs(value) > 1e-100 else 0.0)
RESIDUALS = arrays(np.float64, st.integers(1, 40), elements=RESIDUAL, fill=st.nothing())


def brute_force(residuals, variant):
    """Eq. 5 with loops, from the text."""
    r = sorted(abs(value) for value in residuals)
    n = len(r)
    for tau in range(n, n // 2, -1):
        lead = tau - n // 2 if variant == "roofs" else -(-tau // 2)
        rho = np.sqrt(sum(value**2 for value in r[:lead]) / lead)
        distances = [abs(value - rho) for value in r]
        nearest = max(i for i in range(n) if distances[i] == min(distances)) + 1
        if r[tau - 1] <= 2 * tau * rho / nearest:
            return tau
    return n // 2 + 1


def test_by_hand():
    # n = 6: tau = 6 is judged by the 3 smallest, rho = sqrt((1 + 4 + 9) / 3) = 2.16, nearest is r_(2) = 2, limit
    # 2 * 6 * 2.16 / 2 = 12.96 < 50. tau = 5: rho = sqrt(2.5) = 1.58, nearest is 2 again, limit 7.9 >= 5.
    residuals = np.array([-1.0, 2.0, 3.0, -4.0, 5.0, 50.0])
    assert estimate_clean_count(residuals) == 5
    np.testing.assert_allclose(
        acceptance_limits(np.sort(np.abs(residuals)), np.array([5, 6])),
        [10 * np.sqrt(2.5) / 2, 12 * np.sqrt(14 / 3) / 2],
    )
    # RLHH judges tau = 6 by 3 rows too, and tau = 5 by 3: limit 2 * 5 * 2.16 / 2 = 10.8.
    assert estimate_clean_count(residuals, "rlhh") == 5


def test_where_no_candidate_fits_the_majority_is_the_answer():
    # tau = 3 of n = 4 is judged by the smallest alone: limit 6 * 1 / 1 = 6 < 7.
    assert estimate_clean_count(np.array([1.0, 7.0, 100.0, 1000.0])) == 3


@pytest.mark.parametrize("variant", ["roofs", "rlhh"])
def test_small_and_degenerate_cases_have_an_answer(variant):
    assert estimate_clean_count(np.array([3.0]), variant) == 1
    assert estimate_clean_count(np.zeros(7), variant) == 7
    assert estimate_clean_count(np.array([1e-200, 1e-200, 1e-200, 1e200]), variant) == 3
    assert estimate_clean_count(np.full(9, 2.0), variant) == 9


def test_equal_residuals_do_not_admit_a_far_one():
    # Were tau' the first of equals, 1, the limit would be 200 times the common residual.
    assert estimate_clean_count(np.append(np.ones(99), 50.0)) == 99


@pytest.mark.parametrize("variant", ["roofs", "rlhh"])
@settings(max_examples=80)
@given(residuals=RESIDUALS.map(lambda values: np.round(values, 3)))
def test_is_eq_5(variant, residuals):
    # Within rounding: the count accepted by loops may differ only where a limit is met to 1e-9.
    found, expected = estimate_clean_count(residuals, variant), brute_force(residuals, variant)
    if found != expected:
        tau = max(found, expected)
        r = np.sort(np.abs(residuals))
        assert r[tau - 1] == pytest.approx(acceptance_limits(r, np.array([tau]), variant)[0], rel=1e-9)


@settings(max_examples=80)
@given(residuals=RESIDUALS, scale=st.sampled_from([0.5, 2.0, 1024.0]), seed=st.integers(0, 99))
def test_does_not_depend_on_order_sign_or_scale(residuals, scale, seed):
    rng = np.random.default_rng(seed)
    changed = scale * rng.permutation(residuals) * rng.choice([-1, 1], len(residuals))
    assert estimate_clean_count(changed) == estimate_clean_count(residuals)


@settings(max_examples=80)
@given(residuals=RESIDUALS, seed=st.integers(0, 99))
def test_lemma_2(residuals, seed):
    """|r_S|^2 is at most that of the clean rows, times 1 + 4 tau^2 (tau - tau*) / (tau'^2 tau'') where tau > tau*."""
    n = len(residuals)
    rng = np.random.default_rng(seed)
    n_clean = int(rng.integers(n // 2 + 1, n + 1))
    clean = rng.permutation(n)[:n_clean]
    r = np.sort(np.abs(residuals))
    tau = estimate_clean_count(residuals)
    found, bound = np.sum(r[:tau] ** 2), np.sum(residuals[clean] ** 2)
    limit = acceptance_limits(r, np.array([tau]))[0]
    if tau > n_clean:
        assert r[tau - 1] <= limit  # what was accepted
        lead = tau - n // 2
        rho = np.sqrt(np.mean(r[:lead] ** 2))
        nearest = 2 * tau * rho / limit if limit > 0 else 1.0
        bound *= 1 + 4 * tau**2 * (tau - n_clean) / (nearest**2 * lead)
    assert found <= bound * (1 + 1e-9)
