"""Paired comparisons against SciPy, and which family Holm's correction covers."""

import numpy as np
import pytest
from scipy import stats

from benchkit.report.comparisons import compare, holm
from benchkit.report.statistics import points

LOSS = {"error": False}


@pytest.fixture
def samples():
    rng = np.random.default_rng(3)
    return {name: rng.normal(center, 0.05, 12) for name, center in {"a": 0.2, "b": 0.3, "c": 0.21}.items()}


@pytest.fixture
def found(samples, make_row):
    rows = [make_row(r, v, algorithm=name) for name, values in samples.items() for r, v in enumerate(values)]
    return points(rows, ["error"])


def test_against_the_best_is_scipys(found, samples):
    b, c = compare(found, LOSS)
    assert (b.algorithm, c.algorithm, b.reference) == ("b", "c", "a")
    assert b.worse
    for comparison in (b, c):
        ours, best = samples[comparison.algorithm], samples["a"]
        assert comparison.wilcoxon == pytest.approx(stats.wilcoxon(ours, best).pvalue)
        t = stats.ttest_rel(ours, best)
        assert comparison.t_test == pytest.approx(t.pvalue)
        interval = t.confidence_interval(0.95)
        assert (comparison.low, comparison.high) == pytest.approx((interval.low, interval.high))
        difference = ours - best
        assert comparison.dz == pytest.approx(difference.mean() / difference.std(ddof=1))
    assert [b.holm, c.holm] == pytest.approx(holm([b.wilcoxon, c.wilcoxon]))


def test_rank_biserial_by_hand(make_row):
    rows = [make_row(r, v, algorithm="a") for r, v in enumerate([0.0, 0.0, 0.0])]
    rows += [make_row(r, v, algorithm="b") for r, v in enumerate([0.3, 0.2, -0.1])]
    (only,) = compare(points(rows, ["error"]), LOSS)
    # Ranks 3 and 2 for b, 1 against: (5 - 1) / 6.
    assert only.rank_biserial == pytest.approx(4 / 6)


def test_a_named_baseline_and_more_is_better(found):
    against = compare(found, {"error": True}, "a")
    assert {comparison.reference for comparison in against} == {"a"}
    assert not next(c for c in against if c.algorithm == "b").worse


def test_only_shared_repetitions_are_paired(make_row):
    rows = [make_row(r, 0.1 * r, algorithm="a") for r in range(3)]
    rows += [make_row(r, 0.1 * r + 1, algorithm="b") for r in range(2, 5)]
    (only,) = compare(points(rows, ["error"]), LOSS)
    assert (only.n, only.difference) == (1, pytest.approx(1.0))
    assert only.wilcoxon == 1.0
    assert np.isnan(only.t_test)


def test_equal_values_have_no_effect(make_row):
    rows = [make_row(r, 0.5, algorithm=name) for name in "ab" for r in range(6)]
    (only,) = compare(points(rows, ["error"]), LOSS)
    assert (only.difference, only.dz, only.rank_biserial, only.wilcoxon, only.t_test) == (0, 0, 0, 1, 1)
    assert not only.significant()
