"""A slice beside the rest: against scipy where there is one split, and how often it is wrong where nothing is."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from benchkit.statistics.slices import FEWEST_ROWS, slice_mean


def test_one_split_without_limits_is_welchs_test():
    rng = np.random.default_rng(0)
    values = rng.normal(size=90)
    inside = np.arange(90) < 30
    result = slice_mean([(np.arange(90), values)], inside)
    expected = stats.ttest_ind(values[:30], values[30:], equal_var=False)
    assert result.p == pytest.approx(expected.pvalue)
    assert result.difference == pytest.approx(values[:30].mean() - values[30:].mean())
    low, high = stats.t.interval(0.95, 29, values[:30].mean(), stats.sem(values[:30]))
    assert (result.low, result.high) == pytest.approx((low, high))
    assert result.rows == 30


def test_the_variance_of_zero_wrong_of_twenty_is_that_of_agresti_and_caffo():
    values = np.array([0.0] * 20 + [1.0] * 5 + [0.0] * 15)
    result = slice_mean([(np.arange(40), values)], np.arange(40) < 20, (0.0, 1.0))
    shares = (1 / 22, 6 / 22)
    terms = [share * (1 - share) / 21 for share in shares]  # n / (n - 1) of a share's variance over n = 22
    freedom = sum(terms) ** 2 / sum(term**2 / 19 for term in terms)
    assert result.p == pytest.approx(2 * stats.t.sf(0.25 / math.sqrt(sum(terms)), freedom))
    assert result.low == 0.0
    assert 0.05 < result.high < 0.15


def test_rows_that_appear_again_count_once_and_few_are_not_tested():
    rng = np.random.default_rng(1)
    rows, values = np.arange(60), rng.random(60)
    once, thrice = (slice_mean([(rows, values)] * times, rows < 25) for times in (1, 3))
    assert (thrice.p, thrice.low, thrice.high) == pytest.approx((once.p, once.low, once.high))
    few, enough = (slice_mean([(rows, values)], rows < count) for count in (FEWEST_ROWS - 1, FEWEST_ROWS))
    assert (math.isnan(few.p), math.isnan(enough.p)) == (True, False)
    assert slice_mean([(rows, values)], rows < 0) is None
    assert math.isnan(slice_mean([(rows, values)], rows >= 0).rest)


@pytest.mark.parametrize(("size", "wrong"), [(12, 0.1), (40, 0.05)])
def test_where_nothing_is_so_it_is_said_one_time_in_twenty(size, wrong):
    """Rows have chances of their own, which splits share: 5 splits of 300 rows, 100 of them tested in each."""
    rng = np.random.default_rng(size)
    significant = covered = counted = 0
    for _ in range(400):
        chance = rng.beta(4 * wrong, 4 * (1 - wrong), 300)
        parts = []
        for _ in range(5):
            rows = rng.permutation(300)[:100]
            parts.append((rows, rng.random(100) < chance[rows]))
        result = slice_mean(parts, np.arange(300) < size, (0.0, 1.0))
        significant += result.p < 0.05
        if result.rows >= FEWEST_ROWS:
            covered += result.low <= wrong <= result.high
            counted += 1
    assert significant / 400 <= 0.06
    assert covered / counted >= 0.93


def visits(rng, rates, sizes, of_rows, splits=3):
    """Some splits of 40 % of the patients: rows with values, patients, and which rows are in the slice."""
    patient = np.repeat(np.arange(len(rates)), sizes)
    inside = rng.random(len(patient)) < 0.3 if of_rows else patient < len(rates) * 0.3
    wrong = rng.random(len(patient)) < rates[patient]
    parts, groups = [], []
    for _ in range(splits):
        chosen = rng.permutation(len(rates))[: max(2, int(len(rates) * 0.4))]
        rows = np.flatnonzero(np.isin(np.arange(len(rates)), chosen)[patient])
        values = np.where(rng.random(len(rows)) < 0.7, wrong[rows], rng.random(len(rows)) < rates[patient[rows]])
        parts.append((rows, values))
        groups.append(patient[rows])
    return parts, groups, inside


@pytest.mark.parametrize("of_rows", [False, True])
def test_groups_are_counted_as_a_cluster_robust_fit_counts_them(of_rows):
    """CR2 by matrices: Bell and McCaffrey's corrected residuals of a regression on a constant and the slice."""
    rng = np.random.default_rng(3)
    (part,), (group,), inside = visits(rng, rng.beta(1, 4, 40), rng.integers(2, 9, 40), of_rows, splits=1)
    values, within = np.asarray(part[1], dtype=float), inside[part[0]]
    result = slice_mean([part], inside, groups=[group])
    X = np.column_stack([np.ones(len(values)), within])
    bread = np.linalg.inv(X.T @ X)
    residuals = values - X @ bread @ X.T @ values
    meat = np.zeros((2, 2))
    for each in np.unique(group):
        own = X[group == each]
        eigenvalues, vectors = np.linalg.eigh(np.eye(len(own)) - own @ bread @ own.T)
        score = own.T @ (vectors / np.sqrt(eigenvalues)) @ vectors.T @ residuals[group == each]
        meat += np.outer(score, score)
    error = math.sqrt((bread @ meat @ bread)[1, 1])
    distance = abs(result.difference) / error
    # Degrees of freedom with which Student's t has this p.
    freedom = optimize.brentq(lambda freedom: 2 * stats.t.sf(distance, freedom) - result.p, 0.5, 1e4)
    assert result.difference == pytest.approx((bread @ X.T @ values)[1])
    n_groups = len(np.unique(group))
    assert min(4, n_groups) <= freedom <= n_groups  # so that the error is the one of the test, too
    assert result.groups == len(np.unique(group[within]))


def test_groups_of_one_size_are_rows_of_their_means_those_of_copies_one_row_each_and_few_are_not_tested():
    means, group = np.random.default_rng(4).normal(size=30), np.repeat(np.arange(30), 4)
    part = np.arange(120), means[group] + np.tile([-1.0, 1.0, 2.0, -2.0], 30)
    result = slice_mean([part], group < 12, groups=[group])
    assert result.p == pytest.approx(stats.ttest_ind(means[:12], means[12:], equal_var=False).pvalue)
    ends = stats.t.interval(0.95, 11, means[:12].mean(), stats.sem(means[:12]))
    assert (result.low, result.high) == pytest.approx(ends)
    assert (result.rows, result.groups) == (48, 12)
    few, enough = (slice_mean([part], group < count, groups=[group]) for count in (4, 5))
    assert (math.isnan(few.p), math.isnan(enough.p)) == (True, False)
    alone = slice_mean([part], group < 1, groups=[group])
    assert (alone.low, alone.high) == (-math.inf, math.inf)
    wrong = (np.random.default_rng(0).random(80) < 0.2).astype(float)
    alone = slice_mean([(np.arange(80), wrong)], np.arange(80) < 40, (0.0, 1.0))
    copied, group = np.repeat(wrong, 3), np.repeat(np.arange(80), 3)
    copies = slice_mean([(np.arange(240), copied)], group < 40, (0.0, 1.0), groups=[group])
    assert (copies.low, copies.high, copies.p) == pytest.approx((alone.low, alone.high, alone.p))


@pytest.mark.parametrize("of_rows", [False, True])
def test_patients_with_rates_of_their_own_are_no_difference(of_rows):
    """40 patients of 20 visits, errors of 0.2 on average that go with the patient; by rows this is missed often."""
    rng = np.random.default_rng(6)
    significant = covered = missed = 0
    for _ in range(200):
        parts, groups, inside = visits(rng, rng.beta(1, 4, 40), np.full(40, 20), of_rows)
        result = slice_mean(parts, inside, (0.0, 1.0), groups=groups)
        by_rows = slice_mean(parts, inside, (0.0, 1.0))
        significant += result.p < 0.05
        covered += result.low <= 0.2 <= result.high
        missed += not by_rows.low <= 0.2 <= by_rows.high
    assert significant / 200 <= 0.06
    assert covered / 200 >= 0.93
    assert missed / 200 > (0.05 if of_rows else 0.15)
