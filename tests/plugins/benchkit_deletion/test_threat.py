"""The worst case, greedy, relaxed and exact, by brute force, tables and linear programs; what is proved, as numbers."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from benchkit import NotApplicableError
from benchkit_deletion import metrics as worst_case
from benchkit_deletion import threat
from benchkit_deletion.adversaries.exact_tree_delete import ExactTreeDelete
from benchkit_deletion.adversaries.given import RandomDelete
from tests.attacks import attack, judged

N_FEATURES = 5
gains_rows = arrays(float, (1, N_FEATURES), elements=st.floats(-3, 3).map(lambda x: round(x, 3)))
values = arrays(float, N_FEATURES, elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5]))


@given(gains_rows, values, st.floats(0, 8))
def test_relaxed_deletion_is_the_fractional_knapsack(gains, costs, budget):
    share = threat.relaxed_deletion(gains, costs, budget)[0]
    assert (share >= 0).all()
    assert (share <= 1).all()
    assert share @ costs <= budget + 1e-9
    reference = linprog(-gains[0], A_ub=costs[None], b_ub=[budget], bounds=(0, 1), method="highs")
    # HiGHS takes a budget for met that it exceeds by 1e-7, which buys at most 3 / 0.5 of gain each.
    assert share @ gains[0] == pytest.approx(-reference.fun, abs=1e-6)
    assert ((share > 1e-12) & (share < 1 - 1e-12)).sum() <= 1  # Lemma 1(b)


@pytest.mark.parametrize(
    ("gains", "values", "budget", "deleted"),
    [
        ([3.0, 6.0, 1.0], [1.0, 3.0, 1.0], 2.0, [True, False, True]),  # what does not fit is passed over
        ([1.0, -1.0, 2.0], [0.0, 0.0, 1.0], 0.0, [True, False, False]),  # what costs nothing goes
    ],
)
def test_greedy_takes_the_best_ratio_that_fits(gains, values, budget, deleted):
    assert threat.greedy_deletion(np.array([gains]), np.array(values), budget).tolist() == [deleted]


def test_values_are_checked_and_work_and_columns_are_limited():
    with pytest.raises(ValueError, match="negative"):
        threat.check_values([1.0, -1.0], 2)
    with pytest.raises(ValueError, match="shape"):
        threat.check_values([1.0], 2)
    rng = np.random.default_rng(0)
    with pytest.raises(threat.WorkLimitError, match="more than 10 states"):
        threat.exact_deletion(rng.normal(size=(3, 30)), rng.random(30), 4.0, work_limit=10)
    with pytest.raises(NotApplicableError, match="7,000,000 columns"):  # each row took seconds and a gigabyte
        RandomDelete().corrupt(attack(csr_matrix((2, 7_000_000)), np.arange(2), None, 2))


@st.composite
def knapsacks(draw):
    n = draw(st.integers(1, 10))
    gains = draw(arrays(float, (1, n), elements=st.floats(-3, 3).map(lambda x: round(x, 3))))
    cost = draw(st.sampled_from([st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5]), st.floats(0.01, 4), st.just(1.0)]))
    return gains, draw(arrays(float, n, elements=cost)), draw(st.floats(0, 12))


@settings(max_examples=200)
@given(knapsacks())
def test_equals_the_best_of_all_subsets(knapsack):
    gains, values, budget = knapsack
    deleted = threat.exact_deletion(gains, values, budget)[0]
    assert deleted @ values <= budget * (1 + 1e-9)
    choices = np.array(list(product([0, 1], repeat=len(values))))
    best = (choices[choices @ values <= budget * (1 + 1e-12)] @ gains[0]).max()  # met up to 1e-12, as the code takes it
    assert deleted @ gains[0] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("profits", ["any", "near the weights", "weights and ten"])
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_table_over_all_capacities(profits, seed):
    # With whole weights the optimum follows from a table, at sizes that no enumeration reaches.
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 100, 60)
    near = np.maximum(weights + rng.integers(-10, 11, 60), 1)
    gains = {"any": rng.integers(1, 100, 60), "near the weights": near, "weights and ten": weights + 10}[profits]
    capacity = int(rng.uniform(0.1, 0.9) * weights.sum())
    best = np.zeros(capacity + 1)
    for gain, weight in zip(gains, weights, strict=True):
        best[weight:] = np.maximum(best[weight:], best[: capacity + 1 - weight] + gain)
    deleted = threat.exact_deletion(gains[None].astype(float), weights.astype(float), float(capacity))[0]
    assert deleted @ weights <= capacity
    assert deleted @ gains == best[capacity]


def test_features_of_equal_gain_per_value_are_solved_to_a_stated_fraction():
    values = np.random.default_rng(0).random(100)
    gains, budget = 2.0 * values[None], 0.3 * values.sum()
    deleted, shortfall = threat.deletion_and_shortfall(gains, values, budget, work_limit=200_000)
    assert 0 < shortfall[0] <= 1e-4
    assert (1 - shortfall[0]) * 2.0 * budget <= deleted[0] @ gains[0] <= 2.0 * budget * (1 + 1e-9)


def evaluated(model, X, y, **params):
    found = ExactTreeDelete(**params).corrupt(attack(X, y, model, 2.0, seed=0))
    return judged(model, found.X, y, truth=found.truth)


def test_the_bound_of_closed_rows_of_open_ones_and_of_regression():
    X = np.random.default_rng(0).normal(size=(150, 6))
    signal = X[:, 0] + 0.5 * X[:, 1] - X[:, 2]
    y = (signal > 0).astype(int)
    evaluation = evaluated(RandomForestClassifier(15, max_depth=5, random_state=0).fit(X, y), X, y)
    error = (evaluation.predictions != y).mean()
    assert 0.1 < error < 0.99
    assert worst_case.worst_case_bound(evaluation) == pytest.approx(error)
    assert worst_case.certified_accuracy(evaluation) == pytest.approx(1 - error)
    assert worst_case.open_rows(evaluation) == 0
    assert 0 < worst_case.median_row_seconds(evaluation) <= worst_case.slowest_row_seconds(evaluation)
    evaluation.truth["row_seconds"][:] = np.linspace(0.5, 1.5, 150)
    assert worst_case.rows_within_a_second(evaluation) == 0.5
    evaluation = evaluated(RandomForestClassifier(25, random_state=0).fit(X, y), X, y, node_limit=1)
    assert worst_case.open_rows(evaluation) > 0
    assert worst_case.worst_case_bound(evaluation) >= (evaluation.predictions != y).mean()
    evaluation = evaluated(RandomForestRegressor(10, random_state=0).fit(X, signal), X, signal)
    assert worst_case.worst_case_bound(evaluation) == pytest.approx(np.abs(evaluation.predictions - signal).mean())


@pytest.mark.parametrize("name", ["worst_case_bound", "certified_accuracy", "open_rows", "slowest_row_seconds"])
def test_other_adversaries_prove_nothing(name):
    with pytest.raises(NotApplicableError, match="exact-tree-delete"):
        getattr(worst_case, name)(judged(None, np.zeros((2, 2)), np.zeros(2), np.zeros(2)))
