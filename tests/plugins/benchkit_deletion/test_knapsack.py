"""The exact worst case against all subsets, the greedy adversary and the relaxation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LogisticRegression

from benchkit import AttackContext
from benchkit_deletion.adversaries.linear import ExactDelete, GreedyDelete
from benchkit_deletion.threat import (
    WorkLimitError,
    deletion_and_shortfall,
    exact_deletion,
    greedy_deletion,
    relaxed_deletion,
)


@st.composite
def knapsacks(draw):
    n = draw(st.integers(1, 10))
    gains = draw(arrays(float, (1, n), elements=st.floats(-3, 3).map(lambda x: round(x, 3))))
    cost = draw(st.sampled_from([st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5]), st.floats(0.01, 4), st.just(1.0)]))
    return gains, draw(arrays(float, n, elements=cost)), draw(st.floats(0, 12))


@settings(deadline=None, max_examples=300)
@given(knapsacks())
def test_equals_the_best_of_all_subsets(knapsack):
    gains, values, budget = knapsack
    subsets = np.array(list(product([0, 1], repeat=len(values))))
    best = (subsets[subsets @ values <= budget * (1 + 1e-12)] @ gains[0]).max()
    deleted = exact_deletion(gains, values, budget)[0]
    assert deleted @ values <= budget * (1 + 1e-9)
    assert deleted @ gains[0] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("profits", ["any", "near the weights", "weights and ten"])
@pytest.mark.parametrize("seed", range(8))
def test_equals_the_table_over_all_capacities(profits, seed):
    # With whole weights the optimum follows from a table, at sizes that no enumeration reaches.
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 100, 60)
    gains = {
        "any": rng.integers(1, 100, 60),
        "near the weights": np.maximum(weights + rng.integers(-10, 11, 60), 1),
        "weights and ten": weights + 10,
    }[profits]
    capacity = int(rng.uniform(0.1, 0.9) * weights.sum())
    best = np.zeros(capacity + 1)
    for gain, weight in zip(gains, weights, strict=True):
        best[weight:] = np.maximum(best[weight:], best[: capacity + 1 - weight] + gain)
    deleted = exact_deletion(gains[None].astype(float), weights.astype(float), float(capacity))[0]
    assert deleted @ weights <= capacity
    assert deleted @ gains == best[capacity]


@settings(deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 1))
def test_lies_between_greedy_and_relaxation(seed, fraction):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 60)
    gains, values = rng.normal(size=(4, n)), rng.gamma(1.0, size=n) * (rng.random(n) < 0.9)
    budget = fraction * values.sum()
    damage = [
        (choose(gains, values, budget) * gains).sum(axis=1)
        for choose in (greedy_deletion, exact_deletion, relaxed_deletion)
    ]
    assert (damage[0] <= damage[1] + 1e-9).all()
    assert (damage[1] <= damage[2] + 1e-9).all()


def test_finds_what_greedy_misses():
    # Ratios 2, 1.9, 1.9: greedy takes the first and has no room for a second, the other two earn more.
    gains, values = np.array([[4.0, 5.7, 5.7]]), np.array([2.0, 3.0, 3.0])
    assert greedy_deletion(gains, values, 6.0).tolist() == [[True, True, False]]
    assert exact_deletion(gains, values, 6.0).tolist() == [[False, True, True]]


def test_gives_up_above_the_work_limit():
    rng = np.random.default_rng(0)
    with pytest.raises(WorkLimitError, match="more than 10 states"):
        exact_deletion(rng.normal(size=(3, 30)), rng.random(30), 4.0, work_limit=10)


def test_features_of_equal_gain_per_value_are_solved_to_a_stated_fraction():
    values = np.random.default_rng(0).random(100)
    gains, budget = 2.0 * values[None], 0.3 * values.sum()
    deleted, shortfall = deletion_and_shortfall(gains, values, budget, work_limit=200_000)
    assert 0 < shortfall[0] <= 1e-4
    assert (1 - shortfall[0]) * 2.0 * budget <= deleted[0] @ gains[0] <= 2.0 * budget * (1 + 1e-9)


def test_adversary_hurts_at_least_as_much_as_greedy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    y = np.where(X[:, 0] - X[:, 3] > 0, "b", "a")
    model = LogisticRegression().fit(X, y)
    attack = AttackContext(X=X, y=y, budget=3.0, feature_values=rng.gamma(1.0, size=12), rng=rng, model=model, raw=X)
    sign = np.where(y == "b", 1, -1)
    exact = sign * model.decision_function(ExactDelete().corrupt(attack).X)
    greedy = sign * model.decision_function(GreedyDelete().corrupt(attack).X)
    assert (exact <= greedy + 1e-9).all()
    assert (exact < greedy - 1e-9).any()
    with pytest.raises(ValueError, match="work_limit"):
        ExactDelete(work_limit=0)
