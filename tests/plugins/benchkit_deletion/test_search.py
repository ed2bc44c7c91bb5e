"""Searches find what enumeration finds, and prove what they say."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchkit import Features
from benchkit_deletion.branch_and_bound import least_sum
from benchkit_deletion.models.trees import Tree, TreeSum
from benchkit_deletion.search import beam_search, enumerate_deletions, last, worst_columns


def table_of_losses(seed):
    """A loss for each set of six features; of few levels, so that sets tie."""
    values = np.random.default_rng(seed).integers(0, 4, 64) / 4
    return lambda masks: values[masks @ (1 << np.arange(6))]


def worst_of_all(loss, budget, costs):
    sets = (np.arange(64)[:, None] >> np.arange(6) & 1).astype(bool)
    return loss(sets[sets @ costs <= budget * (1 + 1e-12)]).max()


def test_exchanges_find_what_greedy_does_not():
    gains = {frozenset([0]): 3, frozenset([0, 1]): 4, frozenset([1, 2]): 9}

    def worst(masks):
        losses = [float(gains.get(frozenset(np.flatnonzero(mask).tolist()), 0)) for mask in masks]
        return masks[int(np.argmax(losses))], (max(losses),)

    (_, (found, losses, exact)) = worst_columns(worst, 3, 2, lambda size: False)
    assert not exact
    assert np.flatnonzero(found).tolist() == [1, 2]
    assert losses == (9.0,)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), budget=st.floats(0, 4), plain=st.booleans(), steepest=st.booleans())
def test_a_wide_beam_and_enumeration_try_every_deletion(seed, budget, plain, steepest):
    losses = [table_of_losses((seed, row)) for row in range(3)]
    costs = np.ones(6) if plain else np.array([0.5, 1, 0, 1.5, 1, 0.7])

    def score(rows, masks):
        return -np.array([losses[row](mask[None])[0] for row, mask in zip(rows, masks, strict=True)])

    every = np.ones((3, 6), dtype=bool)
    by_beam = last(beam_search(score, every, costs, budget, beam=64, steepest=steepest))
    for found in (by_beam, enumerate_deletions(score, every, costs, budget)):
        assert (found @ costs <= budget * (1 + 1e-9)).all()
        for row, of_row in enumerate(losses):
            assert of_row(found[row][None])[0] == worst_of_all(of_row, budget, costs)


def test_what_deletion_does_not_change_is_not_tried():
    asked = []

    def score(rows, masks):
        asked.extend(masks)
        return -masks.sum(axis=1).astype(float)

    deletable = np.array([[True, False, True], [False, False, False]])
    np.testing.assert_array_equal(last(beam_search(score, deletable, np.ones(3), 3)), deletable)
    assert not np.array(asked)[:, 1].any()


def random_trees(rng, n_trees, n_columns, depth):
    """Full trees on random columns, with thresholds in [0, 1]."""
    n_inner = 2**depth - 1
    places = np.arange(2 * n_inner + 1)
    inner, n_nodes = places < n_inner, len(places)
    trees = []
    for _ in range(n_trees):
        asked = {"column": np.where(inner, rng.integers(n_columns, size=n_nodes), -1), "threshold": rng.random(n_nodes)}
        below = {"left": np.where(inner, 2 * places + 1, -1), "right": np.where(inner, 2 * places + 2, -1)}
        missing, value = rng.random(n_nodes) < 0.5, rng.normal(size=(n_nodes, 1))
        trees.append(Tree(**asked, **below, missing_left=missing, value=value))
    return TreeSum(trees, single_precision=False, sums_in_single=False)


def problem(trees, x, left, features, cost, capacity):
    """The arguments of least_sum for one row, and its RowTerms."""
    (row,) = trees.rows(x[None, :], left, features, cost, capacity)
    return row, (row.starts, np.ascontiguousarray(row.value[:, 0]), row.needs, row.feature, row.deleted, cost, capacity)


def solve(arguments, cutoff=np.inf, enough=-np.inf, safe=np.inf, node_limit=100_000):
    return least_sum(*arguments, cutoff, enough, safe, node_limit)


@st.composite
def scenes(draw):
    """Trees, a row, what deletion leaves, groups, costs (some 0, some equal) and a budget."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_columns = draw(st.integers(1, 12))
    trees = random_trees(rng, draw(st.integers(1, 12)), n_columns, draw(st.integers(1, 4)))
    left = draw(st.sampled_from([np.zeros(n_columns), np.full(n_columns, np.nan), rng.random(n_columns)]))
    features = Features(n_columns, [[0, n_columns - 1]] if n_columns > 2 and draw(st.booleans()) else [])
    cost = draw(st.sampled_from([np.ones(features.n_features), rng.choice([0.0, 0.3, 1.0, 1.7], features.n_features)]))
    return trees, rng.random(n_columns), left, features, cost, draw(st.sampled_from([0.0, 1.0, 2.5, 20.0]))


@settings(max_examples=80)
@given(scenes(), st.integers(1, 3), st.floats(-3, 3))
def test_finds_what_enumeration_finds_and_proves_what_it_says(scene, node_limit, level):
    trees, x, left, features, cost, capacity = scene
    _, arguments = problem(*scene)
    sets = np.array(list(itertools.product([False, True], repeat=len(cost))))
    sets = sets[sets @ cost <= capacity]
    least = trees.scores(np.where(features.spread(sets), left, x))[:, 0].min()

    def of(chosen):
        assert chosen @ cost <= capacity
        return trees.scores(np.where(features.spread(chosen), left, x)[None])[0, 0]

    best, chosen, bound, _ = solve(arguments)
    assert best == pytest.approx(least, abs=1e-9)
    assert bound == pytest.approx(best, abs=1e-8)
    assert of(chosen) == pytest.approx(best, abs=1e-9)
    # Cut short it brackets the least sum,
    best, chosen, bound, nodes = solve(arguments, node_limit=node_limit)
    assert nodes <= node_limit
    assert bound - 1e-9 <= least <= best + 1e-9
    assert of(chosen) == pytest.approx(best, abs=1e-9)
    # asked for a sign it decides that,
    best, _, bound, _ = solve(arguments, enough=level, safe=level)
    assert bound - 1e-9 <= least <= best + 1e-9
    if abs(least - level) > 1e-8:
        assert (best < level) == (least < level)
        assert (bound > level) == (least > level)
    # and it leaves sums above a cutoff alone.
    best, _, bound, _ = solve(arguments, cutoff=level)
    assert min(best, level) == pytest.approx(min(least, level), abs=1e-8)
    assert min(bound, level) == pytest.approx(min(least, level), abs=1e-8)


@pytest.mark.parametrize("fill", [0.0, np.nan])
@pytest.mark.parametrize(("n_columns", "capacity"), [(30, 3), (90, 2)])
def test_finds_what_enumeration_finds_among_many_columns(n_columns, capacity, fill):
    rng = np.random.default_rng(n_columns)
    trees, x = random_trees(rng, 25, n_columns, 5), rng.random(n_columns)
    scene = trees, x, np.full(n_columns, fill), Features(n_columns), np.ones(n_columns), float(capacity)
    row, arguments = problem(*scene)
    assert len(np.unique(row.feature)) > (64 if n_columns > 64 else 20)
    sets = [list(gone) for size in range(capacity + 1) for gone in itertools.combinations(range(n_columns), size)]
    left = np.tile(x, (len(sets), 1))
    for place, gone in enumerate(sets):
        left[place, gone] = fill
    best, _, bound, _ = solve(arguments)
    assert best == pytest.approx(trees.scores(left)[:, 0].min(), abs=1e-9)
    assert bound == pytest.approx(best, abs=1e-8)
