"""A slice beside the rest: against scipy where there is one split, and how often it is wrong where nothing is."""

import math

import numpy as np
import pytest
from scipy import stats

from benchkit.statistics.slices import FEWEST_ROWS, slice_mean


def test_one_split_without_limits_is_welchs_test():
    rng = np.random.default_rng(0)
    values = rng.normal(size=90)
    inside = np.arange(90) < 30
    found = slice_mean([(np.arange(90), values)], inside)
    expected = stats.ttest_ind(values[:30], values[30:], equal_var=False)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.difference == pytest.approx(values[:30].mean() - values[30:].mean())
    low, high = stats.t.interval(0.95, 29, values[:30].mean(), stats.sem(values[:30]))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.rows == 30


def test_the_variance_of_zero_wrong_of_twenty_is_that_of_agresti_and_caffo():
    values = np.array([0.0] * 20 + [1.0] * 5 + [0.0] * 15)
    found = slice_mean([(np.arange(40), values)], np.arange(40) < 20, (0.0, 1.0))
    shares = (1 / 22, 6 / 22)
    terms = [share * (1 - share) / 21 for share in shares]  # n / (n - 1) of a share's variance over n = 22
    freedom = sum(terms) ** 2 / sum(term**2 / 19 for term in terms)
    assert found.p == pytest.approx(2 * stats.t.sf(0.25 / math.sqrt(sum(terms)), freedom))
    assert found.low == 0.0
    assert 0.05 < found.high < 0.15


def test_rows_that_appear_again_count_once():
    rng = np.random.default_rng(1)
    rows, values = np.arange(60), rng.random(60)
    inside = rows < 25
    once, thrice = (slice_mean([(rows, values)] * times, inside) for times in (1, 3))
    assert thrice.p == pytest.approx(once.p)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


def test_few_rows_are_shown_and_not_tested():
    rows, values = np.arange(50), np.linspace(0, 1, 50)
    few = slice_mean([(rows, values)], rows < FEWEST_ROWS - 1)
    assert math.isnan(few.p)
    assert not math.isnan(slice_mean([(rows, values)], rows < FEWEST_ROWS).p)
    assert slice_mean([(rows, values)], rows < 0) is None
    assert math.isnan(slice_mean([(rows, values)], rows >= 0).rest)


@pytest.mark.parametrize(("size", "wrong"), [(12, 0.1), (40, 0.05)])
def test_where_nothing_is_so_it_is_said_one_time_in_twenty(size, wrong):
    """Rows have chances of their own, which splits share: 5 splits of 300 rows, 100 of them tested in each."""
    rng = np.random.default_rng(size)
    said = covered = counted = 0
    for _ in range(400):
        chance = rng.beta(4 * wrong, 4 * (1 - wrong), 300)
        parts = []
        for _ in range(5):
            rows = rng.permutation(300)[:100]
            parts.append((rows, rng.random(100) < chance[rows]))
        found = slice_mean(parts, np.arange(300) < size, (0.0, 1.0))
        said += found.p < 0.05
        if found.rows >= FEWEST_ROWS:
            covered += found.low <= wrong <= found.high
            counted += 1
    assert said / 400 <= 0.06
    assert covered / counted >= 0.93
