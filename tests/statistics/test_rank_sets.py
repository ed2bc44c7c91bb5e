"""Ranks and tiers, against what their definitions say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchkit.statistics.ranking import rank_sets, tiers


def test_nobody_told_apart_may_have_any_rank():
    above = np.zeros((4, 4), dtype=bool)
    low, high = rank_sets(above)
    assert low.tolist() == [1] * 4
    assert high.tolist() == [4] * 4
    assert tiers(above).tolist() == [1] * 4


def test_a_full_order():
    above = np.triu(np.ones((4, 4), dtype=bool), 1)
    low, high = rank_sets(above)
    assert low.tolist() == high.tolist() == tiers(above).tolist() == [1, 2, 3, 4]


def test_overlap_makes_two_tiers():
    """a is better than c alone: b may have any rank, and stands with a."""
    above = np.zeros((3, 3), dtype=bool)
    above[0, 2] = True
    low, high = rank_sets(above)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(1, 2), (1, 3), (2, 3)]
    assert tiers(above).tolist() == [1, 1, 2]


def test_stone_paper_scissors_is_one_tier():
    above = np.zeros((4, 4), dtype=bool)
    above[0, 1] = above[1, 2] = above[2, 0] = above[0, 3] = True
    assert tiers(above).tolist() == [1, 1, 1, 1]


@given(st.lists(st.floats(0, 10), min_size=2, max_size=8), st.floats(0.1, 5))
def test_true_ranks_are_covered_where_no_pair_is_wrong(values, gap):
    truth = np.array(values)
    above = truth[:, None] > truth[None, :] + gap
    low, high = rank_sets(above)
    rank = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    assert ((low <= rank) & (rank <= high)).all()
    place = tiers(above)
    assert not above[place[:, None] == place[None, :]].any()
    for method in np.flatnonzero(place > 1):
        assert above[place == place[method] - 1, method].any()
