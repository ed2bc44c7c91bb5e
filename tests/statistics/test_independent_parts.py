"""Means over data sets whose repetitions have nothing to do with each other."""

import math

import numpy as np
import pytest
import scipy.stats

from benchkit.statistics.estimate import Estimate, estimate, pooled
from benchkit.statistics.sampling import Sample


def _of(*groups: list[float]) -> Estimate:
    return pooled([(1 / len(groups), _mean(values)) for values in groups])


def _mean(values: list[float]) -> Estimate:
    found = estimate(Sample(values, 0.0))
    assert found is not None
    return found


def test_the_width_is_banerjees():
    """By hand: quantiles of each data set's own degrees of freedom."""
    first, second = [0.1, 0.3, 0.2], [0.5, 0.4, 0.45, 0.55, 0.35, 0.6]
    found = _of(first, second)
    half = math.hypot(
        *(scipy.stats.t.ppf(0.975, len(each) - 1) * scipy.stats.sem(each) / 2 for each in (first, second))
    )
    mean = (np.mean(first) + np.mean(second)) / 2
    assert found.interval() == pytest.approx((mean - half, mean + half))
    assert found.n == 3


def test_of_one_data_set_it_is_students():
    values = [0.1, 0.3, 0.25, 0.2]
    alone, found = _mean(values), _of(values)
    assert found.interval() == pytest.approx(alone.interval())
    for limit in (-0.1, 0.15, 0.2125, 0.24, 0.5):
        assert found.p_above(limit) == pytest.approx(alone.p_above(limit), abs=1e-9)
        assert found.p_below(limit) == pytest.approx(alone.p_below(limit), abs=1e-9)


def test_tests_and_intervals_agree():
    found = _of([0.1, 0.3, 0.2], [0.5, 0.4, 0.45, 0.55], [0.2, 0.1, 0.3, 0.25, 0.2])
    for level in (0.5, 0.9, 0.95, 0.999):
        low, high = found.interval(level)
        assert found.p_above(low) == pytest.approx((1 - level) / 2)
        assert found.p_below(high) == pytest.approx((1 - level) / 2)


def test_too_few_repetitions_of_one_data_set_decide_nothing():
    assert not _of([0.1, 0.2], [0.3, 0.31, 0.3, 0.29]).decides
    assert math.isnan(_of([0.1], [0.3, 0.31, 0.3, 0.29]).interval()[0])


@pytest.mark.parametrize("sizes", [(3, 25, 25, 25, 25), (3, 10), (3, 3), (5, 20, 20)])
@pytest.mark.parametrize("first", [1.0, 3.0, 10.0])
def test_its_intervals_miss_no_more_than_they_may(sizes, first):
    """4,000 means of nothing but noise: 5 %, and three standard errors of that."""
    draws, level = 4000, 0.95
    rng = np.random.default_rng(7)
    mean = np.zeros(draws)
    square = np.zeros(draws)
    for k, size in enumerate(sizes):
        values = (first if k == 0 else 1.0) * rng.standard_normal((draws, size))
        quantile = scipy.stats.t.ppf((1 + level) / 2, size - 1)
        mean += values.mean(1) / len(sizes)
        square += (quantile * values.std(1, ddof=1) / math.sqrt(size) / len(sizes)) ** 2
        if k == 0:
            sample = [values[0]]
        else:
            sample.append(values[0])
    found = _of(*(list(map(float, each)) for each in sample))
    low, high = found.interval(level)
    assert (high - low) / 2 == pytest.approx(math.sqrt(square[0]))  # what is simulated is what is shipped
    assert np.mean(np.abs(mean) > np.sqrt(square)) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / draws)
