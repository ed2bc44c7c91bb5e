"""Intervals and tests of shares and of means of rows, against SciPy and by simulation."""

import itertools

import numpy as np
import pytest
from scipy import optimize, stats

from benchkit.statistics.independent_rows import score_intervals, wilson_interval
from benchkit_audit.estimates import Losses


@pytest.mark.parametrize(
    ("successes", "n", "ends"),
    [
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
        (0, 0, (0, 1)),
    ],
)
def test_wilsons_intervals_are_those_of_newcombe(successes, n, ends):
    """Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I."""
    assert wilson_interval(successes, n) == pytest.approx(ends, abs=6e-5)


@pytest.mark.parametrize("n", [10, 20, 50, 100, 200])
def test_the_paired_interval_covers_at_every_difference(n):
    """By the probabilities of all tables of n rows: nothing is drawn."""
    worse, better = np.array([(b, c) for b in range(n + 1) for c in range(n + 1 - b)]).T
    low, high = score_intervals(worse, better, n, 1.959964)
    tables = np.stack([worse, better, n - worse - better], 1)
    for one, other in itertools.product((0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5), (0, 0.01, 0.05, 0.2)):
        chances = stats.multinomial.pmf(tables, n, [one, other, 1 - one - other])
        covers = (low <= one - other + 1e-9) & (one - other <= high + 1e-9)
        assert chances[covers].sum() >= 0.93, (one, other)


def test_an_audit_takes_the_interval_that_a_judgement_takes():
    before = Losses(np.array([0.0] * 96 + [1.0] * 4), "shares")
    rise = Losses(np.array([1.0] * 10 + [0.0] * 90), "shares").less(before)
    low, high = map(float, score_intervals(np.array(10), np.array(4), 100, 1.959963985))
    assert (rise.low, rise.high) == pytest.approx((low, high))
    nothing = before.less(before)
    assert nothing.low < 0 < nothing.high  # no row that differs is no proof that none ever does
    assert nothing.value == 0.0


def most_likely(b, c, n, delta):
    """The likelihood's maximum over the share that the second answer alone has right, given the difference."""

    def loss(p01):
        shares, rows = (p01 + delta, p01, 1 - 2 * p01 - delta), (b, c, n - b - c)
        return -sum(count * np.log(max(share, 1e-300)) for share, count in zip(shares, rows, strict=True))

    bounds = max(0.0, -delta), (1 - delta) / 2
    return optimize.minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-13}).x


@pytest.mark.parametrize(("b", "c", "n"), [(1, 0, 44), (5, 2, 12), (12, 3, 40), (9, 0, 10), (0, 6, 30)])
@pytest.mark.parametrize("critical", [1.96, 2.344])
def test_score_intervals_end_where_the_score_test_does(b, c, n, critical):
    def statistic(delta):
        p01 = most_likely(b, c, n, delta)
        return (b - c - n * delta) / np.sqrt(n * (2 * p01 + delta - delta**2))

    low = optimize.brentq(lambda delta: statistic(delta) - critical, -1 + 1e-9, (b - c) / n - 1e-6)
    high = optimize.brentq(lambda delta: statistic(delta) + critical, (b - c) / n + 1e-6, 1 - 1e-9)
    ends = [end[0] for end in score_intervals(np.array([b]), np.array([c]), n, critical)]
    assert ends == pytest.approx([low, high], abs=1e-5)


def test_score_intervals_agree_with_mcnemars_test():
    b, c = np.meshgrid(np.arange(12), np.arange(12))
    low, high = score_intervals(b, c, 40, 1.96)
    np.testing.assert_array_equal((low > 1e-9) | (high < -1e-9), (b - c) ** 2 > 1.96**2 * (b + c))
    assert high[0, 0] == pytest.approx(1.96**2 / (40 + 1.96**2))  # no row differs: no point
