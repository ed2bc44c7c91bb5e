"""Searches that ask a model, against trying everything."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchkit_deletion.search import beam_search, enumerate_deletions, last, worst_columns


def table_of_losses(seed, n=6, levels=4):
    """A loss for each set of features; of few levels, so that sets tie."""
    values = np.random.default_rng(seed).integers(0, levels, 2**n) / levels
    return lambda masks: values[masks @ (1 << np.arange(n))]


def worst_of_all(loss, budget, costs):
    sets = [(np.arange(64)[:, None] >> np.arange(6) & 1).astype(bool)][0]
    return loss(sets[sets @ costs <= budget * (1 + 1e-12)]).max()


def worst_sets(loss, exact_below=64):
    """The worst set of no feature, of one, of two, ... up to all of six."""

    def worst(masks):
        place = int(loss(masks).argmax())
        return masks[place], (float(loss(masks)[place]),)

    found = worst_columns(worst, 6, 6, lambda size: sum(comb(6, each) for each in range(size + 1)) <= exact_below)
    return [(np.zeros(6, dtype=bool), 0.0, True), *found]


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_few_sets_of_columns_are_all_tried(seed):
    loss = table_of_losses(seed)
    reached = [loss(found[None])[0] for found, _, exact in worst_sets(loss) if exact]
    assert len(reached) == 7
    for size in range(7):
        assert max(reached[: size + 1]) == worst_of_all(loss, size, np.ones(6))


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), exact_below=st.sampled_from([0, 8, 30]))
def test_a_search_of_columns_does_no_more_than_is_possible(seed, exact_below):
    loss = table_of_losses(seed, levels=1000)
    for size, (found, losses, _) in enumerate(worst_sets(loss, exact_below)[1:], 1):
        assert found.sum() == size
        assert loss(found[None])[0] == losses[0] <= worst_of_all(loss, size, np.ones(6))


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


@pytest.mark.parametrize("steepest", [True, False])
@pytest.mark.parametrize("beam", [1, 4])
def test_sums_of_gains_need_no_beam(beam, steepest):
    gains = np.random.default_rng(1).uniform(0, 1, (5, 6))
    score = lambda rows, masks: -(gains[rows] * masks).sum(axis=1)  # noqa: E731
    found = last(beam_search(score, np.ones((5, 6), dtype=bool), np.ones(6), 3, beam=beam, steepest=steepest))
    for row, deleted in enumerate(found):
        best = max(combinations(range(6), 3), key=lambda chosen: gains[row, list(chosen)].sum())
        assert set(np.flatnonzero(deleted)) == set(best)


def test_what_deletion_does_not_change_is_not_tried():
    asked = []

    def score(rows, masks):
        asked.extend(masks)
        return -masks.sum(axis=1).astype(float)

    deletable = np.array([[True, False, True], [False, False, False]])
    np.testing.assert_array_equal(last(beam_search(score, deletable, np.ones(3), 3)), deletable)
    assert not np.array(asked)[:, 1].any()
