"""Means over rows that splits share: groups count as one, and a given test part needs one split alone."""

import math

import numpy as np
import pytest
from scipy import stats

from benchkit.report.points import sampling_of
from benchkit.statistics.estimate import estimate
from benchkit.statistics.row_differences import mean_over_rows
from benchkit.statistics.sampling import ROWS, Sampling, make_sample


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_groups_of_one_row_are_rows(rng):
    parts = [(rng.permutation(50)[:20], rng.normal(size=20)) for _ in range(4)]
    by_rows, by_groups = mean_over_rows(parts), mean_over_rows(parts, [rows * 7 for rows, _ in parts])
    assert by_groups.variance == pytest.approx(by_rows.variance)
    assert (by_rows.freedom, by_groups.freedom) == (math.inf, by_rows.units - 1)


def test_groups_of_one_size_on_a_given_part_are_a_t_test_of_their_means(rng):
    groups = np.repeat(np.arange(15), 20)
    values = rng.normal(size=15)[groups] + 0.1 * rng.normal(size=300)
    mean = mean_over_rows([(np.arange(300), values)], [groups], given=True)
    means = values.reshape(15, 20).mean(axis=1)
    assert mean.variance == pytest.approx(means.var(ddof=1) / 15)
    sample = make_sample({(0, "d"): values.mean()}, {"d": Sampling(1000, 300, n_groups=50, given=True)}, ROWS)
    found = estimate(sample, mean)
    assert found.decides
    assert found.p_differs() == pytest.approx(stats.ttest_1samp(means, 0).pvalue)
    assert found.interval() == pytest.approx(stats.t.interval(0.95, 14, means.mean(), stats.sem(means)))


def test_repetitions_on_a_given_part_tell_nothing_of_new_rows_without_its_rows(rng):
    sample = make_sample(
        {(number, "d"): value for number, value in enumerate(rng.normal(size=9))},
        {"d": Sampling(1000, 300, given=True)},
        ROWS,
    )
    assert math.isinf(estimate(sample).stderr)
    one = make_sample({(0, "d"): 0.5}, {"d": Sampling(1000, 300)}, ROWS)
    assert not estimate(one, mean_over_rows([(np.arange(300), rng.normal(size=300))])).decides


def test_records_tell_what_was_drawn():
    row = {"n_rows": 2000, "n_test": 300, "folds": None, "generated": False}
    units = {"column": "patient", "groups": 100}
    assert sampling_of([{**row, "units": units, "split": "given"}]) == Sampling(2000, 300, n_groups=100, given=True)
    assert sampling_of([{**row, "units": "rows", "split": "random"}]) == sampling_of([row]) == Sampling(2000, 300)
    assert Sampling(2000, 300, n_groups=100).distinct_rows(1, ROWS) == pytest.approx(15)
    assert Sampling(2000, 300, given=True).distinct_rows(8, ROWS) == 300
