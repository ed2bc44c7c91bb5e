"""Searches that ask a model, against trying everything."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchkit_worst_case.search.beam import beam_search
from benchkit_worst_case.search.worst_columns import WorstColumns


def table_of_losses(seed, n=6, levels=4):
    """A loss for each set of features; of few levels, so that sets tie."""
    values = np.random.default_rng(seed).integers(0, levels, 2**n) / levels
    return lambda masks: values[masks @ (1 << np.arange(n))]


def worst_of_all(loss, budget, costs):
    sets = [(np.arange(64)[:, None] >> np.arange(6) & 1).astype(bool)][0]
    return loss(sets[sets @ costs <= budget * (1 + 1e-12)]).max()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), budget=st.integers(0, 6))
def test_few_sets_of_columns_are_all_tried(seed, budget):
    loss = table_of_losses(seed)
    found, exact = WorstColumns(lambda masks: loss(masks)[:, None], 6, 64).search(budget)
    assert exact
    assert found.sum() <= budget
    assert loss(found[None])[0] == worst_of_all(loss, budget, np.ones(6))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), exact_below=st.sampled_from([0, 8, 30]))
def test_a_larger_budget_of_columns_never_does_less(seed, exact_below):
    loss = table_of_losses(seed, levels=1000)
    search = WorstColumns(lambda masks: loss(masks)[:, None], 6, exact_below)
    reached = [loss(search.search(budget)[0][None])[0] for budget in range(7)]
    assert reached == sorted(reached)
    for budget, damage in enumerate(reached):
        assert damage <= worst_of_all(loss, budget, np.ones(6))


def test_exchanges_find_what_greedy_does_not():
    gains = {frozenset([0]): 3, frozenset([0, 1]): 4, frozenset([1, 2]): 9}

    def losses(masks):
        return np.array([[gains.get(frozenset(np.flatnonzero(mask).tolist()), 0)] for mask in masks], dtype=float)

    found, exact = WorstColumns(losses, 3, 0).search(2)
    assert not exact
    assert np.flatnonzero(found).tolist() == [1, 2]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), budget=st.floats(0, 4), plain=st.booleans())
def test_a_wide_beam_tries_every_deletion(seed, budget, plain):
    losses = [table_of_losses((seed, row)) for row in range(3)]
    costs = np.ones(6) if plain else np.array([0.5, 1, 0, 1.5, 1, 0.7])

    def loss(rows, masks):
        return np.array([losses[row](mask[None])[0] for row, mask in zip(rows, masks, strict=True)])

    found = beam_search(loss, np.ones((3, 6), dtype=bool), costs, budget, 64)
    assert (found @ costs <= budget * (1 + 1e-9)).all()
    for row, of_row in enumerate(losses):
        assert of_row(found[row][None])[0] == worst_of_all(of_row, budget, costs)


@pytest.mark.parametrize("beam", [1, 4])
def test_sums_of_gains_need_no_beam(beam):
    gains = np.random.default_rng(1).uniform(0, 1, (5, 6))
    found = beam_search(
        lambda rows, masks: (gains[rows] * masks).sum(axis=1), np.ones((5, 6), dtype=bool), np.ones(6), 3, beam
    )
    for row, deleted in enumerate(found):
        best = max(combinations(range(6), 3), key=lambda chosen: gains[row, list(chosen)].sum())
        assert set(np.flatnonzero(deleted)) == set(best)


def test_what_deletion_does_not_change_is_not_tried():
    asked = []

    def loss(rows, masks):
        asked.extend(masks)
        return masks.sum(axis=1).astype(float)

    deletable = np.array([[True, False, True], [False, False, False]])
    np.testing.assert_array_equal(beam_search(loss, deletable, np.ones(3), 3, 8), deletable)
    assert not np.array(asked)[:, 1].any()
