"""Judged tables against SciPy, where it has the test, and against textbook formulas, where it has none."""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

import benchkit
from benchkit.statistics.all_pairs import units_to_decide
from benchkit.statistics.ranking import friedman

JUDGED = Path(__file__).parents[3] / "docs" / "judged"
# Four classifiers on ten data sets: so few that all sign patterns are counted.
DEMSAR = pd.read_csv(JUDGED / "demsar-2006.csv").set_index("dataset").head(10)
CLUSTERED = ("svm", "forest", "logistic")


@pytest.fixture(params=list(itertools.combinations(DEMSAR, 2)), ids=" | ".join)
def pair(request):
    """Two classifiers on ten data sets, as a long table, and their scores."""
    names = list(request.param)
    table = DEMSAR[names].rename_axis(columns="method").stack().rename("auc").reset_index()
    return table, names, DEMSAR[names].to_numpy().T


def of(judged, names, what):
    """A value of the first of two methods against the second."""
    i, j = (judged.methods.index(name) for name in names)
    return getattr(judged.result, what)[i, j]


def test_statistics_are_students_t_and_p_values_scipys_sign_flips(pair):
    table, names, (first, second) = pair
    judged = benchkit.judge(table)
    r, n = of(judged, names, "statistic"), judged.result.units
    assert r * math.sqrt((n - 1) / (n - r**2)) == pytest.approx(stats.ttest_rel(first, second).statistic)
    flipped = stats.permutation_test(
        (first, second), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    assert of(judged, names, "difference") == pytest.approx(flipped.statistic)
    assert of(judged, names, "p") == pytest.approx(flipped.pvalue)
    signed, d = benchkit.judge(table, by="wilcoxon"), np.round(first - second, 12)  # with ties and zeros
    # SciPy's z is that of the smaller sum, and so never positive.
    z = stats.wilcoxon(d, method="asymptotic", correction=False).zstatistic
    assert -abs(of(signed, names, "statistic")) == pytest.approx(z, rel=1e-6)
    flipped = stats.wilcoxon(d, method=stats.PermutationMethod(n_resamples=np.inf))
    assert of(signed, names, "p") == pytest.approx(flipped.pvalue)


def test_practically_equal_is_two_one_sided_tests_and_stricter(pair):
    """Of intervals of 90 %, two one-sided tests of 5 % each (Schuirmann 1987); those of 95 % ask for more."""
    table, _, (first, second) = pair
    sides = ((-0.02, "greater"), (0.02, "less"))
    p = max(stats.ttest_1samp(first - second, bound, alternative=side).pvalue for bound, side in sides)
    lenient, strict = (benchkit.judge(table, level=level).pairs.iloc[0] for level in (0.9, 0.95))
    # The interval of sign flips and that of t differ a little where data are not normal.
    if not 0.04 < p < 0.06:
        assert (max(-lenient.low, lenient.high) <= 0.02) == (p < 0.05)
    assert p < 0.05 or max(-strict.low, strict.high) > 0.02


def test_mean_ranks_are_friedmans():
    judged = benchkit.judge(DEMSAR.rename_axis(columns="method").stack().rename("auc").reset_index(), by="ranks")
    ranks, *_ = friedman(-DEMSAR.to_numpy())
    np.testing.assert_allclose(judged.means, [ranks[list(DEMSAR).index(name)] for name in judged.methods])


@pytest.mark.parametrize("names", list(itertools.combinations(CLUSTERED, 2)), ids=" | ".join)
def test_clusters_are_robust_errors_of_a_mean(names):
    """With D = sum D_c, B_c a cluster's share of the items: R^2 = D^2 / sum D_c^2, where the sandwich of Liang and
    Zeger (1986) has sum (D_c - B_c D)^2 as the squared error; clusters of one to nine items that follow each other."""
    right = pd.read_csv(JUDGED / "digits-items.csv")[list(CLUSTERED)]
    clusters = np.repeat(np.arange(len(right)), np.resize(np.arange(1, 10), len(right)))[: len(right)]
    items = right.assign(item=range(len(right)), cluster=clusters)
    judged = benchkit.judge(items.melt(["item", "cluster"], names, "method", "accuracy"), unit="item")
    d = (right[names[0]] - right[names[1]]).to_numpy()
    assert of(judged, names, "difference") == pytest.approx(d.mean())
    assert judged.result.units == clusters.max() + 1
    parts, shares = np.bincount(clusters, d) / len(d), np.bincount(clusters) / len(d)
    error = math.sqrt(((parts - shares * d.mean()) ** 2).sum())
    assert of(judged, names, "statistic") == pytest.approx(d.mean() / math.sqrt((parts**2).sum()))
    half = (of(judged, names, "high") - of(judged, names, "low")) / 2
    assert half == pytest.approx(1.96 * error, rel=0.1)


@pytest.mark.parametrize("effect", [0.1, 0.3])
def test_units_that_decide_are_those_of_power_one_half(effect):
    """The range is around the number for the effect that was seen, at Bonferroni's critical value of six pairs."""

    def power(n):
        return stats.nct.sf(stats.t.isf(0.025 / 6, n - 1), n - 1, effect * math.sqrt(n))

    needed = optimize.brentq(lambda n: power(n) - 0.5, 5, 10_000)
    n, few = 100_000, 40
    low, likely, high = units_to_decide(effect * math.sqrt(n / (1 + effect**2)), n, 2.6383, 6)
    assert low == likely == high == n + 1  # it would have been decided
    low, likely, high = units_to_decide(effect * math.sqrt(few / (1 + effect**2)), few, 2.6383, 6)
    assert low < needed < high
    assert likely == pytest.approx(needed, rel=0.1)
