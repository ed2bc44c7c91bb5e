"""The signed-rank test against a textbook, enumeration and SciPy."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchkit.statistics.ranking import magnitude_ranks, signed_rank_pvalues


def test_darwins_maize():
    """Fisher, The Design of Experiments (1935), section 17: 15 pairs of plants; T = 24, exact two-sided p = 0.0413."""
    differences = np.array([[49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48.0]])
    assert signed_rank_pvalues(differences) == pytest.approx([0.041259765625])


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_ties_and_zeros_are_exact(values):
    differences = np.array(values, dtype=float)
    kept = differences[differences != 0]
    ranks = stats.rankdata(np.abs(kept))
    total = ranks.sum()
    sums = [np.dot(signs, ranks) for signs in product([0, 1], repeat=len(kept))]
    observed = ranks[kept > 0].sum()
    extreme = min(observed, total - observed)
    expected = min(1.0, 2 * np.mean([found <= extreme + 1e-9 for found in sums]))
    assert signed_rank_pvalues(differences[None]) == pytest.approx([expected])


@pytest.mark.parametrize("n", [1, 2, 10, 50])
def test_ranks_are_scipys(n):
    rng = np.random.default_rng(n)
    for differences in (rng.integers(-3, 4, size=(50, n)) * 0.1, rng.normal(size=(50, n))):
        zero = differences == 0
        expected = np.where(zero, 0, stats.rankdata(np.where(zero, np.inf, np.abs(differences)), axis=1))
        assert np.array_equal(magnitude_ranks(differences), expected)


@pytest.mark.parametrize("n", [2, 5, 20, 50, 80])
def test_without_ties_it_is_scipys(n):
    differences = np.random.default_rng(n).normal(0.3, 1, size=(7, n))
    expected = stats.wilcoxon(differences, axis=1).pvalue
    assert signed_rank_pvalues(differences) == pytest.approx(expected)


def test_no_difference_is_no_evidence():
    assert signed_rank_pvalues(np.zeros((2, 10))) == pytest.approx([1, 1])
    assert signed_rank_pvalues(np.zeros((2, 60))) == pytest.approx([1, 1])
    assert signed_rank_pvalues(np.zeros((2, 0))) == pytest.approx([1, 1])
