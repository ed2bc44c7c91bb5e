"""Means over rows that splits share, against loops that follow the formula; differences of methods made of them."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from benchkit.plugin.manager import load_file
from benchkit.statistics import Measurement, RowValues, combination, difference
from benchkit.statistics.estimate import estimate, t_quantile
from benchkit.statistics.independent_rows import score_intervals, wilson_interval
from benchkit.statistics.row_differences import RowMean, mean_over_rows
from benchkit.statistics.sampling import ROWS, Sampling, make_sample
from benchkit.statistics.time_uniform import sequential_estimate
from benchkit_audit.estimates import Losses
from tests.conftest import at_most


def by_loops(parts, groups=None):
    """Mean, the rows' variance and the splits' variance, one row and one split at a time."""
    summed, times, total, count = {}, {}, 0.0, 0
    for rows, values in parts:
        for row, value in zip(rows, values, strict=True):
            unit = row if groups is None else groups[row]
            summed[unit] = summed.get(unit, 0.0) + value
            times[unit] = times.get(unit, 0) + 1
            total, count = total + value, count + 1
    mean, units = total / count, len(summed)
    squares = sum((summed[unit] - times[unit] * mean) ** 2 for unit in summed)
    of_rows = squares / count**2 * units / (units - 1) if units > 1 else math.inf
    means = [sum(values) / len(values) for _, values in parts]
    middle = sum(means) / len(means)
    of_splits = sum((each - middle) ** 2 for each in means) / (len(parts) - 1) if len(parts) > 1 else math.nan
    return mean, of_rows, of_splits


@st.composite
def split_parts(draw):
    n_rows = draw(st.integers(3, 12))
    parts = []
    for _ in range(draw(st.integers(2, 6))):
        rows = draw(st.lists(st.integers(0, n_rows - 1), unique=True, min_size=1, max_size=n_rows))
        parts.append((7 * np.array(rows), np.array([draw(st.floats(-3, 3)) for _ in rows], dtype=float)))
    return n_rows, parts


def alike(mean, expected):
    values = mean.mean, mean.of_rows, mean.of_splits
    return pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True) == values


@given(split_parts(), st.data())
def test_equals_the_formula_word_by_word_and_rows_of_a_group_are_summed_first(drawn, data):
    n_rows, parts = drawn
    assert alike(mean_over_rows(parts), by_loops(parts))
    groups = np.repeat(data.draw(st.lists(st.integers(0, 4), min_size=n_rows, max_size=n_rows)), 7)
    mean = mean_over_rows(parts, [groups[rows] for rows, _ in parts])
    assert alike(mean, by_loops(parts, groups))
    assert mean.grouped
    assert mean.units == len({groups[row] for rows, _ in parts for row in rows}) == mean.freedom + 1


def test_of_a_given_test_part_few_rows_have_students_interval_and_a_large_group_counts_as_one():
    rng = np.random.default_rng(0)
    values = rng.normal(size=7)
    mean = mean_over_rows([(np.arange(7), values)], given=True)
    assert (mean.freedom, mean.variance) == pytest.approx((6, np.var(values, ddof=1) / 7))
    groups = np.repeat(np.arange(20), [200, *[10] * 19])
    missed = 0
    for _ in range(200):
        values = rng.normal(size=20)[groups] + rng.normal(size=len(groups))
        mean = mean_over_rows([(np.arange(len(groups)), values)], [groups], given=True)
        missed += abs(mean.mean) > t_quantile(0.95, mean.freedom) * mean.variance**0.5
    assert missed <= 16  # of 10 expected at most; with 19 degrees of freedom more than 50


def varied(of_rows, of_splits, splits, excess=math.inf):
    return RowMean(0.0, of_rows, of_splits, splits, 50, excess=excess).variance


def test_one_split_gives_the_variance_of_a_mean_and_the_corrected_one_counts_between_its_bounds():
    values = np.random.default_rng(0).normal(size=40)
    textbook = pytest.approx(np.var(values, ddof=1) / 40)
    one = mean_over_rows([(np.arange(40), values)])
    assert (one.of_rows, one.variance) == (textbook, textbook)  # of the models that one split fitted
    assert (math.isnan(one.of_splits), one.freedom) == (True, math.inf)
    assert varied(1.0, 2.0, 10, excess=0.1) == pytest.approx(1.4)
    assert varied(1.0, 2.0, 10, excess=0.9) == pytest.approx(2.0)
    assert varied(1.0, 2.0, 10, excess=5.0) == varied(1.0, 2.0, 10) == pytest.approx(2.4)
    assert varied(1.0, 2.0, 3, excess=0.0) == pytest.approx(1.0 + 2 / 3)
    assert varied(1.0, 0.0, 10) == 1.0


def test_the_variance_after_more_splits_is_that_of_these_splits():
    """Values of rows vary four times as much from split to split as from row to row."""
    rng, rows = np.random.default_rng(2), np.arange(600)
    own = rng.normal(size=600)
    parts = [(rows, own + 2 * rng.normal(size=600)) for _ in range(40)]
    few, many = mean_over_rows(parts[:4]), mean_over_rows(parts)
    assert few.variance_after(40) == pytest.approx(many.variance, rel=0.2)
    assert few.variance > 1.5 * many.variance


@pytest.mark.parametrize("kind", ["random", "in time", "folds"])
def test_further_splits_test_more_rows_and_more_evenly(kind):
    """Of 2,000 rows a tenth is tested: at random, other rows each time, or each row as often as any."""
    rng = np.random.default_rng(3)
    own = rng.normal(size=2000)
    few, many = {"random": (3, 30), "in time": (3, 9), "folds": (20, 60)}[kind]
    folds = [rng.permutation(2000) for _ in range(6)]
    tested = {
        "random": [rng.choice(2000, 200, replace=False) for _ in range(30)],
        "in time": np.split(np.arange(2000), 10),
        "folds": [fold for order in folds for fold in np.split(order, 10)],
    }[kind]
    parts = [(rows, own[rows] + 0.5 * rng.normal(size=200)) for rows in tested]
    before, after = (replace(mean_over_rows(parts[:n], excess=1 / 9), of_splits=math.nan) for n in (few, many))
    assert before.variance_after(many) == pytest.approx(after.variance, rel=0.15)


@pytest.mark.parametrize(("unit", "added"), [(0.0, 4 / 20**2), (1.0, 4 / 20**2), (0.5, 0.0)])
def test_rates_get_four_rows_and_other_values_none(unit, added):
    rows = np.arange(20)
    assert mean_over_rows([(rows, unit * (rows % 3 - 1.0))]).of_added == pytest.approx(added)


def test_groups_of_one_size_on_a_given_part_are_a_t_test_of_their_means():
    rng, groups = np.random.default_rng(5), np.repeat(np.arange(15), 20)
    values = rng.normal(size=15)[groups] + 0.1 * rng.normal(size=300)
    by_groups = mean_over_rows([(np.arange(300), values)], [groups], given=True)
    means = values.reshape(15, 20).mean(axis=1)
    drawn = {"d": Sampling(1000, 300, n_groups=50, given=True)}
    mean = estimate(make_sample({(0, "d"): values.mean()}, drawn, ROWS), by_groups)
    assert mean.decides
    assert mean.p_differs() == pytest.approx(stats.ttest_1samp(means, 0).pvalue)
    assert mean.interval() == pytest.approx(stats.t.interval(0.95, 14, means.mean(), stats.sem(means)))
    # Without the rows, repetitions on a given part tell nothing of new rows, and one split of drawn ones neither.
    sample = make_sample({(at, "d"): value for at, value in enumerate(means)}, drawn, ROWS)
    assert math.isinf(estimate(sample).stderr)
    one = make_sample({(0, "d"): 0.5}, {"d": Sampling(1000, 300)}, ROWS)
    assert not estimate(one, mean_over_rows([(np.arange(300), values)])).decides


DRAWN = {"d": Sampling(300, 60)}


@pytest.mark.parametrize("unit", [1e-18, 1e9])
@pytest.mark.parametrize("estimator", [estimate, sequential_estimate])
def test_in_another_unit_everything_is_the_same(unit, estimator):
    rng = np.random.default_rng(0)
    own = {(at, "d"): value for at, value in enumerate(rng.gamma(2, size=12))}
    better = {part: value - 0.3 - 0.1 * rng.random() for part, value in own.items()}

    def apart(other, times):
        scaled = (Measurement({part: times * value for part, value in each.items()}, DRAWN) for each in (own, other))
        return difference(*scaled, "rows", estimator)

    plain, scaled = apart(better, 1.0), apart(better, unit)
    assert scaled.mean == pytest.approx(unit * plain.mean, rel=1e-9)
    assert scaled.interval() == pytest.approx([unit * end for end in plain.interval()], rel=1e-9)
    assert scaled.p_above(0) == pytest.approx(plain.p_above(0), rel=1e-9)
    assert apart({part: value * (1 + 1e-15) for part, value in own.items()}, unit).mean == 0


def test_on_the_same_rows_what_is_no_rate_has_no_rows_added_where_it_ties():
    areas = Measurement({(at, "d"): 0.9 + 0.001 * at * 2**0.5 for at in range(4)}, DRAWN)
    assert difference(areas, areas, "splits").interval() == (0, 0)


def measured(rate, seed):
    """Errors on five random test parts of 60 of 300 rows, which are the same whatever the seed."""
    rng, splits = np.random.default_rng(seed), np.random.default_rng(0)
    rows = {(r, "d"): np.sort(splits.choice(300, 60, replace=False)) for r in range(5)}
    losses = {part: rng.random(60) < rate for part in rows}
    values = {part: float(own.mean()) for part, own in losses.items()}
    return Measurement(values, DRAWN, lambda part: RowValues(rows[part], None, losses[part]))


def test_a_difference_on_new_rows_is_that_of_the_rows_where_they_are_known_and_of_what_both_have():
    a, b, c = measured(0.3, 1), measured(0.2, 2), measured(0.1, 3)
    parts = [(a.rows(part).rows, a.rows(part).values - b.rows(part).values) for part in a.values]
    by_rows = mean_over_rows(parts, excess=DRAWN["d"].ratio)
    gain = difference(a, b)
    assert (gain.rows, gain.mean, gain.stderr) == (by_rows, by_rows.mean, pytest.approx(math.sqrt(by_rows.variance)))
    half = combination([(0.5, a), (0.5, b), (-1.0, c)])
    assert half.mean == pytest.approx(0.5 * (difference(a, c).mean + difference(b, c).mean))

    def unknown(part):
        raise LookupError(part)

    by_repetition = {part: round(a.values[part] - b.values[part], 12) for part in a.values}
    for scope in ("rows", "splits"):
        expected = estimate(make_sample(by_repetition, DRAWN, scope))
        assert difference(a, replace(b, rows=None), scope) == difference(a, replace(b, rows=unknown), scope) == expected
    assert difference(a, b, "splits") == expected
    assert difference(a, replace(b, drawn={"d": Sampling(300, 60, n_groups=20)})).rows is None
    fewer = replace(b, values={part: value for part, value in b.values.items() if part[0] < 3})
    assert difference(a, fewer).n == 3
    assert difference(a, replace(b, values={})) is None


SUITES = Path(__file__).parents[2] / "suites"
POOLS = 60


@pytest.fixture(scope="module")
def calibrations():
    # By the name that runs give it: what numba keeps beside the file is loaded under that name alone.
    return load_file(SUITES / "row_calibrations.py")


@pytest.mark.parametrize("case", ["neighbours-equal", "squared-equal", "ties-equal"])
def test_equally_good_methods_seldom_get_a_star_and_intervals_have_a_width(calibrations, case):
    for splits in (3, 10, 50):
        shares = calibrations.calibrate(case, 100, splits, POOLS, 7)
        assert shares["truth"] == 0
        assert shares["missed-rows"] == shares["stars-rows"] <= at_most(0.06, POOLS)
        assert 0 < shares["width"] < 1.3


def test_groups_are_judged_as_groups_and_stay_on_one_side(calibrations):
    alone, of_ten = (calibrations.calibrate(name, 100, 3, 5, 7) for name in ("linear-equal", "groups-linear-equal"))
    assert 0 <= of_ten["missed-rows"] <= 1
    assert of_ten["width"] > alone["width"]
    case = calibrations.CASES["groups-linear-equal"]
    for train, test in calibrations.splits_of(case, 300, np.random.default_rng(0), 20):
        assert not set(train // 10) & set(test // 10)
        assert len(train) == 150


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


@pytest.mark.parametrize("n", [10, 50])
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


@pytest.mark.parametrize(("b", "c", "n"), [(1, 0, 44), (5, 2, 12), (12, 3, 40), (9, 0, 10), (0, 6, 30), (0, 0, 40)])
@pytest.mark.parametrize("critical", [1.96, 2.344])
def test_score_intervals_end_where_the_score_test_does(b, c, n, critical):
    def statistic(delta):
        p01 = most_likely(b, c, n, delta)
        return (b - c - n * delta) / np.sqrt(n * (2 * p01 + delta - delta**2))

    low = optimize.brentq(lambda delta: statistic(delta) - critical, -1 + 1e-9, (b - c) / n - 1e-6)
    high = optimize.brentq(lambda delta: statistic(delta) + critical, (b - c) / n + 1e-6, 1 - 1e-9)
    ends = [end[0] for end in score_intervals(np.array([b]), np.array([c]), n, critical)]
    assert ends == pytest.approx([low, high], abs=1e-5)
