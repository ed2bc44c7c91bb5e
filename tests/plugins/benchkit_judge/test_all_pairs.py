"""All pairs at once: enumeration, SciPy, simulation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchkit.statistics.estimate import t_quantile
from benchkit.statistics.ranking import tiers
from benchkit_judge.all_pairs import _flips, all_pairs, all_pairs_by_ranks, rank_sets, units_to_decide


@pytest.mark.parametrize(
    ("pairs", "ranks", "place"),
    [
        ([], [(1, 4)] * 4, [1, 1, 1, 1]),
        ([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], [(1, 1), (2, 2), (3, 3), (4, 4)], [1, 2, 3, 4]),
        ([(0, 2)], [(1, 3), (1, 4), (2, 4), (1, 4)], [1, 1, 2, 1]),  # of those told apart alone
        ([(0, 1), (1, 2), (2, 0), (0, 3)], None, [1, 1, 1, 1]),  # stone, paper, scissors
    ],
)
def test_ranks_and_tiers(pairs, ranks, place):
    above = np.zeros((4, 4), dtype=bool)
    above[tuple(zip(*pairs, strict=True)) if pairs else ()] = bool(pairs)
    if ranks is not None:
        assert list(zip(*(ends.tolist() for ends in rank_sets(above)), strict=True)) == ranks
    assert tiers(above).tolist() == place


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


def test_pvalues_are_those_of_all_sign_patterns():
    values = np.random.default_rng(1).normal(size=(8, 4)) + np.array([0, 0, 1, 3])
    pairs = all_pairs(values / 8)
    first, second = np.triu_indices(4, 1)
    differences = values[:, first] - values[:, second]
    signs = np.array(list(itertools.product([1, -1], repeat=8)))
    sizes = np.abs(signs @ differences) / np.sqrt((differences**2).sum(axis=0))
    p = (sizes.max(axis=1)[:, None] >= sizes[0] - 1e-9).mean(axis=0)
    assert pairs.p[first, second] == pytest.approx(p)
    assert ((pairs.above | pairs.above.T)[first, second] == (p <= 0.05)).all()
    assert (pairs.exact, pairs.patterns) == (True, 128)


def test_in_another_unit_signed_ranks_are_the_same():
    values = np.random.default_rng(2).normal(size=(12, 3)) + np.array([0, 0.5, 2])
    one, other = (all_pairs_by_ranks(times * values) for times in (1.0, 1e-13))
    assert other.p == pytest.approx(one.p, nan_ok=True)


def test_intervals_are_students_of_two_and_tukeys_of_many_where_noise_is_normal():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(2000, 2))
    d, pairs = values[:, 0] - values[:, 1], all_pairs(values / 2000)
    half = t_quantile(0.95, 1999) * d.std(ddof=1) / math.sqrt(2000)
    assert pairs.difference[0, 1] == pytest.approx(d.mean())
    assert (pairs.high[0, 1] - d.mean(), d.mean() - pairs.low[0, 1]) == pytest.approx((half, half), rel=0.06)
    critical = all_pairs(np.random.default_rng(4).normal(size=(3000, 8)) / 3000).critical
    assert critical == pytest.approx(stats.studentized_range.ppf(0.95, 8, math.inf) / math.sqrt(2), rel=0.03)


def test_ends_of_intervals_invert_the_test_where_weights_are_unequal():
    """At both ends of an interval, what is left without that difference has one R, the critical one."""
    rng = np.random.default_rng(7)
    b = rng.dirichlet(np.full(40, 3.0))
    values = (rng.normal(size=(40, 2)) + np.array([0, 0.5])) * b[:, None]
    pairs = all_pairs(values, b)
    left = [values[:, 0] - values[:, 1] - b * end for end in (pairs.low[0, 1], pairs.high[0, 1])]
    sizes = [abs(each.sum()) / math.sqrt((each**2).sum()) for each in left]
    assert sizes[0] == pytest.approx(sizes[1])
    assert pairs.critical <= sizes[0] < 1.1 * pairs.critical


def test_methods_that_are_alike_or_differ_on_few_units():
    """Nothing says how far they would differ on the next unit that they differ on; a point was given before."""
    column = np.random.default_rng(8).random(50)
    same = all_pairs(np.column_stack([column, column, column + 1e-3]) / 50)
    assert (same.p[0, 1], same.above[0, 1], same.above[2, :2].all()) == (1, False, True)
    on = [np.where(np.arange(50) < count, 0.01 * (-1.0) ** np.arange(50), 0) for count in (0, 5, 6)]
    pairs = all_pairs(np.column_stack([column, *(column + differs for differs in on)]) / 50)
    assert np.isinf(pairs.low[0]).tolist() == np.isinf(pairs.high[0]).tolist() == [False, True, True, False]
    ends = [all_pairs(np.full((50, 2), value) / 50).high[0, 1] for value in (1.0, 0.0, -1.0, 0.7)]  # -1: an error
    assert 0 < ends[0] == ends[1] == ends[2] < 0.2 < ends[3] == np.inf


@pytest.mark.parametrize(("shares", "units", "shared"), [((0.9, 0.7, 0.5), 10, 0.5), ((0.95, 0.6, 0.6), 12, 0.0)])
def test_intervals_of_right_and_wrong_hold_for_all_pairs(shares, units, shared):
    """They held in 88 to 93 % of such tables before; how alike items are for all methods makes no difference."""
    rng, limits = np.random.default_rng(5), stats.norm.ppf(shares)
    true, held = np.subtract.outer(shares, shares), 0
    for _ in range(400):
        common, own = rng.normal(size=(units, 1)), rng.normal(size=(units, len(shares)))
        pairs = all_pairs((np.sqrt(shared) * common + np.sqrt(1 - shared) * own < limits) / units)
        held += bool(((pairs.low <= true + 1e-9) & (true - 1e-9 <= pairs.high)).all())
    assert held >= 376


def test_small_differences_of_large_values_keep_their_digits():
    values = np.random.default_rng(9).normal(size=(40, 3)) * 1e-7 + [0, 0, 1e-6]
    pairs, moved = all_pairs(values / 40), all_pairs((values + 1000) / 40)
    np.testing.assert_allclose(moved.difference, pairs.difference, atol=1e-12)
    assert (moved.above == pairs.above).all()


@given(st.integers(2, 12), st.integers(2, 5), st.integers(1, 3), st.integers(0, 10**6))
def test_what_is_said_is_consistent(n, k, largest, seed):
    """Of whatever values with ties: above follows the intervals, is never both ways, and p agrees."""
    values = np.random.default_rng(seed).integers(0, largest + 1, (n, k)) * 1.0
    pairs = all_pairs(values / n)
    told_apart = pairs.above | pairs.above.T
    assert not (pairs.above & pairs.above.T).any()
    np.testing.assert_allclose(pairs.low, -pairs.high.T, atol=1e-9)
    assert (pairs.low[pairs.above] > -1e-9).all()
    assert (pairs.p[pairs.above] <= 0.05).all()
    assert (pairs.p[~told_apart] > 0.05).all()
    undecided = ~told_apart & ~np.eye(k, dtype=bool)
    assert (pairs.low[undecided] < -1e-6).all()
    assert (pairs.high[undecided] > 1e-6).all()
    wilcoxon = all_pairs_by_ranks(values)
    assert (wilcoxon.above == (wilcoxon.statistic > 0) * (wilcoxon.p <= 0.05)).all()


def test_units_to_decide():
    assert units_to_decide(1.0, 4, math.inf, 1) is None
    low, likely, high = units_to_decide(0.3, 50, 1.96, 1)
    assert 51 <= low < likely < high == units_to_decide(0.0, 50, 1.96, 1)[2] == math.inf  # the difference may be none
    assert units_to_decide(2.0, 100, 2.0, 1)[2] < units_to_decide(2.0, 100, 4.0, 1000)[2]


@pytest.mark.parametrize("n", [2, 12, 60, 5000])
def test_sign_patterns_are_a_group(n):
    """Sums of single units are the patterns; a product of two is a third, without which levels hold on average only."""
    patterns = _flips(np.eye(n, 40)[:, ::-1], (np.arange(n), 0))
    assert (patterns[0] == 1).all() or n < 40
    distinct = {tuple(each) for each in patterns}
    assert len(distinct) == len(patterns) == 2 ** (min(n, 12) - 1)
    for one, other in np.random.default_rng(0).integers(len(patterns), size=(50, 2)):
        product = tuple(patterns[one] * patterns[other])
        assert product in distinct or n < 40
