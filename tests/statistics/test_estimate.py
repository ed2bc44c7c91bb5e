"""Means with their uncertainty, against SciPy and formulas written another way."""

import math

import numpy as np
import pytest
from scipy import stats

from benchkit.statistics.estimate import Estimate, estimate
from benchkit.statistics.many_tests import correlated_bayes, p_beyond, p_equivalent, relations
from benchkit.statistics.sampling import Sample


@pytest.fixture
def values():
    return np.random.default_rng(5).normal(0.3, 1.0, 12)


def test_independent_values_are_scipys(values):
    mean = estimate(Sample(values, 0.0))
    test = stats.ttest_1samp(values, 0.1)
    assert mean.p_differs(0.1) == pytest.approx(test.pvalue)
    assert mean.interval() == pytest.approx(tuple(test.confidence_interval(0.95)))
    for alternative, p in (("greater", mean.p_above(0.1)), ("less", mean.p_below(0.1))):
        assert p == pytest.approx(stats.ttest_1samp(values, 0.1, alternative=alternative).pvalue)


def test_corrected_repeated_k_fold_is_bouckaert_and_franks(values):
    """t = mean / sqrt((1 / (k r) + n2 / n1) s^2) with k r - 1 degrees of freedom, for r = 3, k = 4."""
    r, k = 3, 4
    statistic = values.sum() / (k * r) / math.sqrt((1 / (k * r) + 1 / (k - 1)) * statistics_variance(values))
    mean = estimate(Sample(values, 1 / (k - 1)))
    assert mean.p_differs() == pytest.approx(2 * stats.t.sf(abs(statistic), k * r - 1))


def statistics_variance(values):
    return sum((value - sum(values) / len(values)) ** 2 for value in values) / (len(values) - 1)


def test_intervals_stay_within_what_is_measured(values):
    low, high = estimate(Sample(values, 0.0)).interval(0.95, (0.2, 0.4))
    assert 0.2 <= low < high <= 0.4


@pytest.mark.parametrize("few", [[0.5], [0.5, 0.51]])
def test_one_or_two_repetitions_decide_nothing(few):
    mean = estimate(Sample(few, 0.0))
    assert not mean.decides
    assert (mean.p_above(-100), mean.p_below(100), mean.p_differs()) == (1, 1, 1)
    assert estimate(Sample([], 0.0)) is None


def test_repetitions_that_agree_are_certain_only_where_rows_are_known():
    assert estimate(Sample([0.5] * 3, 0.0)).p_above(0.4) == 0
    assert not estimate(Sample([0.5] * 3, 0.0, sampled=False)).decides
    tied = estimate(Sample([0.0] * 10, 0.0, row_variance=4 / 1000**2))
    assert tied.interval()[1] == pytest.approx(stats.t.ppf(0.975, 9) * 2 / 1000)


def test_equivalence_is_schuirmanns_two_tests(values):
    mean = estimate(Sample(values, 0.0))
    for margin in (0.2, 1.0, 2.0):
        upper = stats.ttest_1samp(values, margin, alternative="less").pvalue
        lower = stats.ttest_1samp(values, -margin, alternative="greater").pvalue
        assert p_equivalent(mean, margin) == pytest.approx(max(upper, lower))
        low, high = mean.interval(0.90)
        assert (p_equivalent(mean, margin) < 0.05) == (-margin < low and high < margin)
        low, high = mean.interval(0.95)
        assert (p_beyond(mean, margin) < 0.05) == (low > margin or high < -margin)


def test_relations_are_corrected_over_the_family(values):
    shifted = [estimate(Sample(values - values.mean() + shift, 0.0)) for shift in (3.0, -3.0, 0.0, 1.0)]
    assert relations(shifted, 1.0, False, 0.05) == ["worse", "better", "equivalent", "undecided"]
    assert relations(shifted, 1.0, True, 0.05) == ["better", "worse", "equivalent", "undecided"]
    assert relations(shifted, 1.0, False, 0.05, family=10_000)[2] == "undecided"


def test_the_posterior_is_students_t(values):
    """Benavoli et al. 2017: location, scale and degrees of freedom, by drawing from it."""
    mean = estimate(Sample(values, 0.25))
    scale = math.sqrt(values.var(ddof=1) * (1 / 12 + 0.25))
    draws = values.mean() + scale * np.random.default_rng(0).standard_t(11, 400_000)
    better, equivalent, worse = correlated_bayes(mean, 0.2, greater_is_better=True)
    assert better == pytest.approx((draws > 0.2).mean(), abs=0.004)
    assert equivalent == pytest.approx((abs(draws) <= 0.2).mean(), abs=0.004)
    assert worse == pytest.approx((draws < -0.2).mean(), abs=0.004)
    assert correlated_bayes(mean, 0.2, greater_is_better=False) == pytest.approx((worse, equivalent, better))
    assert correlated_bayes(estimate(Sample([1.0], 0.0)), 0.2, True) is None


def test_an_estimate_says_what_it_rests_on(values):
    mean = estimate(Sample(values, math.inf))
    assert isinstance(mean, Estimate)
    assert not mean.decides
    assert mean.interval(0.95, (-1, 1)) == (-1, 1)


def test_two_repetitions_that_agree_do_not_tell_a_spread():
    """Balanced accuracy counts no rows: two equal values gave an interval of no width, as if all were known."""
    two = estimate(Sample([0.7125, 0.7125], excess=0.5))
    assert two.interval(limits=(0.0, 1.0)) == (0.0, 1.0)
    assert not two.decides
    rates = estimate(Sample([0.25, 0.25], excess=0.5, row_variance=4 / 100**2))  # rates of error count rows
    assert math.isfinite(rates.stderr)
    assert estimate(Sample([0.0, 0.0], excess=0.5)).interval() == (0.0, 0.0)  # two methods that are the same
    assert estimate(Sample([0.5, 0.5, 0.5], excess=0.5)).stderr == 0.0
