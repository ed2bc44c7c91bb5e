"""Ranks: Demsar's worked example (2006, Table 6), SciPy, enumeration."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchkit.statistics.estimate import holm
from benchkit.statistics.ranking import (
    critical_difference,
    friedman,
    magnitude_ranks,
    rank_algorithms,
    signed_rank_pvalues,
    tukey_quantile,
    tukey_tail,
)

# AUC of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 datasets. The paper prints 0.975 twice for voting, but ranks it 2 and 3.
TABLE = pd.read_csv(Path(__file__).parents[2] / "docs" / "judged" / "demsar-2006.csv", index_col="dataset")
TABLE.loc["voting", "C4.5+cf"] += 1e-5
NAMES, SCORES = tuple(TABLE), TABLE.T.to_dict()


def test_average_ranks_friedman_and_iman_davenport():
    ranking = rank_algorithms(SCORES, greater_is_better=True)
    assert ranking.algorithms == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    assert ranking.ranks == pytest.approx((1.964, 2.000, 2.893, 3.143), abs=5e-4)
    ranks, chi_square, f, p = friedman(-TABLE.to_numpy())
    assert sorted(ranks) == pytest.approx(ranking.ranks)
    # The paper's 9.28 and 3.69 are without the correction for ties, which SciPy and we apply.
    assert chi_square == pytest.approx(stats.friedmanchisquare(*TABLE.T.to_numpy()).statistic)
    assert f == pytest.approx(13 * chi_square / (14 * 3 - chi_square))
    assert p == pytest.approx(stats.f.sf(f, 3, 39))


@pytest.mark.parametrize("k", [2, 3, 5, 17, 40])
def test_critical_differences_are_scipys_studentised_range(k):
    for level in (0.9, 0.95, 0.999):
        q = stats.studentized_range.ppf(level, k, np.inf) / np.sqrt(2)
        assert tukey_quantile(level, k) == pytest.approx(q, rel=1e-9)
        assert critical_difference(k, 10, 1 - level) == pytest.approx(q * np.sqrt(k * (k + 1) / 60), rel=1e-9)
    for z in (0.5, 2.5, 4.0):
        tail = stats.studentized_range.sf(np.sqrt(2) * z, k, np.inf)
        assert tukey_tail(z, k) == pytest.approx(tail, rel=1e-6)


def test_critical_difference_and_cliques_of_the_paper():
    """Section 3.2.2: CD = 1.25 at 0.05 and 1.12 at 0.10. Figure 1(a): C4.5+cf may belong to either group at 0.10."""
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    assert rank_algorithms(SCORES, greater_is_better=True, alpha=0.10).cliques == [(0, 2), (2, 3)]
    # At 0.05 the largest distance, 3.143 - 1.964, is below 1.25.
    assert rank_algorithms(SCORES, greater_is_better=True).cliques == [(0, 3)]


def test_what_cannot_be_ranked_is_named():
    scores = {**SCORES, "wine": {key: SCORES["wine"][key] for key in NAMES[:3]}}
    ranking = rank_algorithms(scores, greater_is_better=True)
    assert ranking.left_out == ("C4.5+m+cf",)
    assert "C4.5+m+cf" in ranking.summary
    assert rank_algorithms({name: SCORES[name] for name in ("iris", "wine")}, greater_is_better=True) is None


@pytest.mark.parametrize(
    ("pvalues", "adjusted"),
    [
        ([0.607, 0.019, 0.016], [0.607, 0.048, 0.048]),  # of the paper, section 3.2.2
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.5, 0.9], [1.0, 1.0]),
        ([], []),
    ],
)
def test_holm(pvalues, adjusted):
    assert holm(pvalues) == pytest.approx(adjusted)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8))
def test_signed_ranks_with_ties_and_zeros_are_exact(values):
    differences = np.array(values, dtype=float)
    kept = differences[differences != 0]
    ranks = stats.rankdata(np.abs(kept))
    sums = [np.dot(signs, ranks) for signs in product([0, 1], repeat=len(kept))]
    observed = ranks[kept > 0].sum()
    extreme = min(observed, ranks.sum() - observed)
    expected = min(1.0, 2 * np.mean([total <= extreme + 1e-9 for total in sums]))
    assert signed_rank_pvalues(differences[None]) == pytest.approx([expected])


@pytest.mark.parametrize("n", [1, 2, 10, 50, 80])
def test_signed_ranks_are_scipys(n):
    rng = np.random.default_rng(n)
    for differences in (rng.integers(-3, 4, size=(50, n)) * 0.1, rng.normal(0.3, 1, size=(7, n))):
        zero = differences == 0
        expected = np.where(zero, 0, stats.rankdata(np.where(zero, np.inf, np.abs(differences)), axis=1))
        assert np.array_equal(magnitude_ranks(differences), expected)
    assert signed_rank_pvalues(differences) == pytest.approx(stats.wilcoxon(differences, axis=1).pvalue)
    assert signed_rank_pvalues(np.zeros((2, n))) == pytest.approx([1, 1])
