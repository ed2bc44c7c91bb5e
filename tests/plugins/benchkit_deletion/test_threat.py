"""The worst case against brute force and linear programming."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from benchkit_deletion.threat import check_values, greedy_deletion, relaxed_deletion

N_FEATURES = 5
gains_rows = arrays(float, (1, N_FEATURES), elements=st.floats(-3, 3).map(lambda x: round(x, 3)))
values = arrays(float, N_FEATURES, elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5]))


def brute_force(gains, costs, budget):
    """Best 0/1 deletion within the budget, which the code takes for met up to 1e-12 of it."""
    choices = np.array(list(product([0, 1], repeat=len(gains))))
    return (choices[choices @ costs <= budget * (1 + 1e-12)] @ gains).max()


@given(gains_rows, values, st.floats(0, 8))
def test_relaxed_deletion_is_the_fractional_knapsack(gains, costs, budget):
    share = relaxed_deletion(gains, costs, budget)[0]
    assert (share >= 0).all()
    assert (share <= 1).all()
    assert share @ costs <= budget + 1e-9
    reference = linprog(-gains[0], A_ub=costs[None], b_ub=[budget], bounds=(0, 1), method="highs")
    # HiGHS takes a budget for met that it exceeds by 1e-7, which buys at most 3 / 0.5 of gain each.
    assert share @ gains[0] == pytest.approx(-reference.fun, abs=1e-6)
    assert ((share > 1e-12) & (share < 1 - 1e-12)).sum() <= 1  # Lemma 1(b)


@given(gains_rows, values, st.floats(0, 8))
def test_greedy_lies_below_exact_lies_below_relaxed(gains, costs, budget):
    greedy = greedy_deletion(gains, costs, budget)[0]
    assert greedy @ costs <= budget * (1 + 1e-9)
    assert (gains[0][greedy] > 0).all()
    exact = brute_force(gains[0], costs, budget)
    relaxed = relaxed_deletion(gains, costs, budget)[0] @ gains[0]
    assert greedy @ gains[0] <= exact + 1e-9
    assert exact <= relaxed + 1e-9


@given(gains_rows, st.integers(0, N_FEATURES))
def test_all_three_agree_for_unit_values_and_whole_budgets(gains, budget):
    ones = np.ones(N_FEATURES)
    exact = brute_force(gains[0], ones, budget)
    assert greedy_deletion(gains, ones, budget)[0] @ gains[0] == pytest.approx(exact)
    assert relaxed_deletion(gains, ones, budget)[0] @ gains[0] == pytest.approx(exact)


def test_greedy_passes_over_what_does_not_fit():
    # Ratios 3, 2, 1: the second costs too much after the first, the third fits.
    deleted = greedy_deletion(np.array([[3.0, 6.0, 1.0]]), np.array([1.0, 3.0, 1.0]), budget=2.0)
    assert deleted.tolist() == [[True, False, True]]


def test_features_of_value_zero_go_for_nothing():
    deleted = greedy_deletion(np.array([[1.0, -1.0, 2.0]]), np.array([0.0, 0.0, 1.0]), budget=0.0)
    assert deleted.tolist() == [[True, False, False]]


def test_values_are_checked():
    with pytest.raises(ValueError, match="negative"):
        check_values([1.0, -1.0], 2)
    with pytest.raises(ValueError, match="shape"):
        check_values([1.0], 2)
