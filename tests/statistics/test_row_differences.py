"""The mean over rows that splits share, against loops that follow the formula word by word, and textbook cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.statistics.row_differences import ADDED_ROWS, MOST_SPLITS, RowMean, mean_over_rows


def by_loops(parts, groups=None):
    """Mean, the rows' variance and the splits' variance, one row and one split at a time."""
    summed, times, total, count = {}, {}, 0.0, 0
    for rows, values in parts:
        for row, value in zip(rows, values, strict=True):
            unit = row if groups is None else groups[row]
            summed[unit] = summed.get(unit, 0.0) + value
            times[unit] = times.get(unit, 0) + 1
            total, count = total + value, count + 1
    mean = total / count
    squares = sum((summed[unit] - times[unit] * mean) ** 2 for unit in summed)
    units = len(summed)
    of_rows = squares / count**2 * units / (units - 1) if units > 1 else math.inf
    means = [sum(values) / len(values) for _, values in parts]
    middle, splits = sum(means) / len(means), len(parts)
    of_splits = sum((each - middle) ** 2 for each in means) / (splits - 1) if splits > 1 else math.nan
    return mean, of_rows, of_splits


@st.composite
def split_parts(draw):
    n_rows = draw(st.integers(3, 12))
    parts = []
    for _ in range(draw(st.integers(2, 6))):
        rows = draw(st.lists(st.integers(0, n_rows - 1), unique=True, min_size=1, max_size=n_rows))
        parts.append((np.array(rows), np.array([draw(st.floats(-3, 3)) for _ in rows], dtype=float)))
    return n_rows, parts


def figures(found):
    return found.mean, found.of_rows, found.of_splits


def alike(found, expected):
    return pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True) == found


@given(split_parts())
def test_equals_the_formula_word_by_word(drawn):
    _, parts = drawn
    assert alike(figures(mean_over_rows(parts)), by_loops(parts))


@given(split_parts(), st.data())
def test_rows_of_a_group_are_summed_first(drawn, data):
    n_rows, parts = drawn
    groups = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n_rows, max_size=n_rows)))
    found = mean_over_rows(parts, [groups[rows] for rows, _ in parts])
    assert alike(figures(found), by_loops(parts, groups))
    assert found.grouped
    assert found.units == len({groups[row] for rows, _ in parts for row in rows})
    assert found.freedom == found.units - 1


@given(split_parts(), st.randoms())
def test_neither_order_nor_row_numbers_matter(drawn, random):
    n_rows, parts = drawn
    before = mean_over_rows(parts)
    renumbered = np.array(random.sample(range(1000), n_rows))
    shuffled = []
    for rows, values in random.sample(parts, len(parts)):
        order = np.array(random.sample(range(len(rows)), len(rows)))
        shuffled.append((renumbered[rows[order]], values[order]))
    after = mean_over_rows(shuffled)
    assert alike(figures(after), figures(before))
    assert after.variance == pytest.approx(before.variance, rel=1e-9, abs=1e-12)


@given(split_parts(), st.floats(-2, 2), st.floats(0.1, 5))
def test_a_shift_changes_the_mean_alone_and_a_scale_all(drawn, shift, scale):
    _, parts = drawn
    before = mean_over_rows(parts)
    after = mean_over_rows([(rows, scale * values + shift) for rows, values in parts])
    assert after.mean == pytest.approx(scale * before.mean + shift, abs=1e-9)
    assert after.of_rows == pytest.approx(scale**2 * before.of_rows, abs=1e-9)
    assert after.of_splits == pytest.approx(scale**2 * before.of_splits, abs=1e-9)


def test_rows_that_appear_once_give_the_variance_of_a_mean():
    values = np.random.default_rng(0).normal(size=40)
    rows = np.random.default_rng(1).permutation(40)
    textbook = np.var(values, ddof=1) / 40
    assert mean_over_rows([(np.arange(40), values)]).of_rows == pytest.approx(textbook)
    folds = [(part, values[part]) for part in np.array_split(rows, 5)]
    assert mean_over_rows(folds).of_rows == pytest.approx(textbook)


def test_rows_that_appear_always_alike_count_once():
    values = np.random.default_rng(0).normal(size=40)
    found = mean_over_rows([(np.arange(40), values)] * 7)
    assert found.of_rows == pytest.approx(np.var(values, ddof=1) / 40)
    assert found.of_splits == pytest.approx(0)


def test_one_split_speaks_of_the_models_that_it_fitted():
    found = mean_over_rows([(np.arange(4), np.array([0.5, 1.5, 2.0, 0.0]))])
    assert math.isnan(found.of_splits)
    assert found.variance == found.of_rows
    assert math.isinf(found.freedom)


def varied(of_rows, of_splits, splits, excess=math.inf):
    return RowMean(0.0, of_rows, of_splits, splits, 50, excess=excess).variance


def test_the_corrected_variance_counts_between_its_bounds():
    # V = 1 and s^2 = 2 at R = 10: no less than 1 + 2 / 5, no more than V beyond that.
    assert varied(1.0, 2.0, 10, excess=0.1) == pytest.approx(1.4)
    assert varied(1.0, 2.0, 10, excess=0.9) == pytest.approx(2.0)
    assert varied(1.0, 2.0, 10, excess=5.0) == varied(1.0, 2.0, 10) == pytest.approx(2.4)
    assert varied(1.0, 2.0, 3, excess=0.0) == pytest.approx(1.0 + 2 / 3)
    assert varied(1.0, 0.0, 10) == 1.0


@given(st.floats(0, 10), st.floats(0, 10), st.integers(2, 60), st.floats(0, 5))
def test_more_splits_never_widen_and_bounds_hold(of_rows, of_splits, splits, excess):
    variance = varied(of_rows, of_splits, splits, excess)
    low = of_rows + of_splits / min(splits, MOST_SPLITS)
    assert low <= variance <= low + of_rows + 1e-12
    assert varied(of_rows, of_splits, splits + 1, excess) <= variance + 1e-12


def test_rates_get_four_rows_and_other_values_none():
    rows = np.arange(20)
    tied = mean_over_rows([(rows, np.zeros(20))] * 3)
    assert (tied.of_rows, tied.of_splits) == (0.0, 0.0)
    assert tied.variance == pytest.approx(ADDED_ROWS / 20**2)
    rates = (rows % 3 - 1).astype(float)
    assert mean_over_rows([(rows, rates)]).of_added == pytest.approx(ADDED_ROWS / 20**2)
    assert mean_over_rows([(rows, 0.5 * rates)]).of_added == 0.0
