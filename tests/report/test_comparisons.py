"""Paired comparisons against SciPy, and which family Holm's correction covers."""

import numpy as np
import pytest
from scipy import stats

from benchkit.report.analysis import Analysis
from benchkit.report.comparisons import compare
from benchkit.report.points import points
from benchkit.report.tables import differences
from benchkit.statistics.estimate import holm

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
        assert comparison.p_interval == pytest.approx(t.pvalue)
        interval = t.confidence_interval(0.95)
        assert (comparison.low, comparison.high) == pytest.approx((interval.low, interval.high))
        difference = ours - best
        assert comparison.dz == pytest.approx(difference.mean() / difference.std(ddof=1))
    # The best was chosen by the same numbers: the correction covers all three pairs.
    assert [b.holm, c.holm] == pytest.approx(holm([b.wilcoxon, c.wilcoxon], 3))
    assert [b.p, c.p] == [b.wilcoxon, c.wilcoxon]


def test_a_table_says_why_its_interval_and_its_p_value_disagree(make_row, make_results):
    """Five differences of one sign are sure by their mean, and too few for signed ranks."""
    for repetitions, disagree in ((5, True), (12, False)):
        rows = [make_row(r, 0.1 + r / 99, algorithm="a") for r in range(repetitions)]
        rows += [make_row(r, 0.3 + r / 88, algorithm="b") for r in range(repetitions)]
        analysis = Analysis(make_results(rows))
        assert ("disagree" in differences(analysis, analysis.grids[0]).note) == disagree


def test_rank_biserial_by_hand(make_row):
    rows = [make_row(r, v, algorithm="a") for r, v in enumerate([0.0, 0.0, 0.0])]
    rows += [make_row(r, v, algorithm="b") for r, v in enumerate([0.3, 0.2, -0.1])]
    (only,) = compare(points(rows, ["error"]), LOSS)
    # Ranks 3 and 2 for b, 1 against: (5 - 1) / 6.
    assert only.rank_biserial == pytest.approx(4 / 6)


def test_equal_values_have_no_effect(make_row):
    rows = [make_row(r, 0.5, algorithm=name) for name in "ab" for r in range(6)]
    (only,) = compare(points(rows, ["error"]), LOSS)
    assert (only.difference, only.dz, only.rank_biserial, only.wilcoxon, only.p_interval) == (0, 0, 0, 1, 1)
    # Ties of six repetitions are no proof of equality: four rows more would have shown.
    assert only.low < 0 < only.high
    assert not only.significant()


def splits(make_row, values, **fields):
    """Two algorithms whose differences are the values, on random splits of 400 rows of which 100 are tested."""
    drawn = {"n_rows": 400, "n_test": 100, "generated": False} | fields
    rows = [make_row(r, 0.2, algorithm="a", **drawn) for r in range(len(values))]
    return points(rows + [make_row(r, 0.2 + v, algorithm="b", **drawn) for r, v in enumerate(values)], ["error"])


def test_on_new_rows_the_variance_is_corrected(make_row):
    values = np.random.default_rng(1).normal(0.02, 0.03, 20)
    (rows,) = compare(splits(make_row, values), LOSS)
    (these,) = compare(splits(make_row, values), LOSS, scope="splits")
    ordinary = stats.ttest_1samp(values, 0)
    assert these.p_interval == pytest.approx(ordinary.pvalue)
    assert these.p == these.wilcoxon == pytest.approx(stats.wilcoxon(values).pvalue)
    # Nadeau & Bengio 2003 with n_test / (M - n_test) = 1/3.
    t = values.mean() / np.sqrt(values.var(ddof=1) * (1 / 20 + 1 / 3))
    assert rows.p == rows.p_interval == pytest.approx(2 * stats.t.sf(t, 19))
    assert np.isnan(rows.wilcoxon)
    half = stats.t.ppf(0.975, 19) * np.sqrt(values.var(ddof=1) * (1 / 20 + 1 / 3))
    assert (rows.low, rows.high) == pytest.approx((values.mean() - half, values.mean() + half))


def test_records_that_do_not_tell_their_rows_get_no_star(make_row):
    drawn = {"n_rows": None, "n_test": None}
    values = 0.1 + np.random.default_rng(1).normal(0, 0.01, 20)
    (rows,) = compare(splits(make_row, values, **drawn), LOSS)
    (these,) = compare(splits(make_row, values, **drawn), LOSS, scope="splits")
    assert not rows.significant()
    assert these.significant()


def test_a_group_pairs_by_repetition_and_data_set(make_row):
    """Whoever fails on the hard data set must not look better for it."""
    rows = []
    for r in range(8):
        for name, base in (("easy", 0.1), ("hard", 0.5)):
            rows.append(make_row(r, base + 0.001 * r, algorithm="sound", dataset=name, group="g", pair=name))
            lost = name == "hard"
            value = None if lost else base + 0.02 + 0.002 * r
            status = "failed" if lost else "ok"
            rows.append(make_row(r, value, status, algorithm="frail", dataset=name, group="g", pair=name))
    group = [each for each in compare(points(rows, ["error"]), LOSS) if each.place.dataset == each.place.group]
    (only,) = group
    assert (only.algorithm, only.reference) == ("frail", "sound")
    assert only.difference == pytest.approx(0.02 + 0.001 * np.mean(range(8)))
    assert only.worse


def test_a_margin_tells_what_each_difference_is(make_row):
    noise = 0.002 * np.array([-1, 1, -2, 2, 0, 1, -1, 0.5])
    for shift, relation in ((0.0, "equivalent"), (0.3, "worse"), (-0.3, "better"), (0.02, "undecided")):
        found = splits(make_row, shift + noise)
        (only,) = compare(found, LOSS, "a", margins={"error": 0.02})
        assert only.relation == relation
    (only,) = compare(found, LOSS, "a")
    assert only.relation is None


def of_group(make_row, values):
    """Rows of a group, by method, data set and repetition."""
    return [
        make_row(r, value, algorithm=name, dataset=data, group="g", pair=data)
        for name, by_data in values.items()
        for data, by_repetition in by_data.items()
        for r, value in by_repetition.items()
    ]


def test_methods_of_a_group_that_share_no_whole_repetition_are_not_compared(make_row):
    ends = {
        "a": {"narrow": {0: 0.1, 1: 0.2}, "wide": {1: 0.3, 2: 0.2}},
        "b": {"narrow": {0: 0.1, 3: 0.2}, "wide": {2: 0.3, 3: 0.2}},
    }
    found = points(of_group(make_row, ends), ["error"])
    for reference in ("best", "a"):
        assert [each for each in compare(found, LOSS, reference) if each.place.dataset == each.place.group] == []


def test_whether_a_method_of_a_group_is_worse_is_asked_of_whole_repetitions(make_row):
    # b is better where a repetition is whole; one that is not would turn it round.
    a = {"narrow": dict.fromkeys(range(5), 0.3) | {5: 0.0}, "wide": {r: 0.3 + 0.01 * r for r in range(5)}}
    b = {"narrow": dict.fromkeys(range(5), 0.2) | {5: 9.0}, "wide": {r: 0.2 + 0.01 * r for r in range(5)}}
    found = points(of_group(make_row, {"a": a, "b": b}), ["error"])
    [only] = [each for each in compare(found, LOSS, "a") if each.place.dataset == each.place.group]
    assert only.difference == pytest.approx(-0.1)
    assert not only.worse
