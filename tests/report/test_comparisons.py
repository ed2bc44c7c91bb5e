"""Means, standard errors and paired differences against SciPy and by hand; which family Holm's correction covers."""

import math

import numpy as np
import pytest
from scipy import stats

from benchkit.report.analysis import Analysis
from benchkit.report.comparisons import compare
from benchkit.report.grid import arrange
from benchkit.report.points import best_of, points
from benchkit.report.standings import along_the_axis, standings
from benchkit.report.tables import differences
from benchkit.statistics.estimate import holm


def test_points_count_what_failed_apart_from_what_has_no_value_and_intervals_end_where_the_metric_does(make_row):
    (point,) = points([make_row(0, 0.2), make_row(1, 0.4), make_row(2, None, "failed")], ["error"])
    assert (point.mean, point.n, point.failed) == (pytest.approx(0.3), 2, 1)
    assert point.stderr == pytest.approx(0.1)
    (empty,) = points([make_row(0, None, "failed")], ["error"])
    assert (empty.mean, empty.stderr, empty.n, empty.failed) == (None, None, 0, 1)
    rows = [make_row(r, value, n_rows=30, n_test=10) for r, value in enumerate([0.0, 0.1, 0.3])]
    (free,), (ended,) = points(rows, ["error"]), points(rows, ["error"], ranges={"error": (0, 1)})
    assert free.interval()[0] < 0
    assert ended.interval() == (0, free.interval()[1])
    (empty,) = points([make_row(0, None)], ["error"])
    assert (empty.mean, empty.n, empty.failed, empty.valueless) == (None, 0, 0, 1)
    (published,) = points([{**make_row(0, None), "metrics": {}, "published": "s/a"}], ["error"])
    assert (published.failed, published.valueless) == (0, 0)
    (reason,) = points([{**make_row(0, None), "no_value": {"error": "a linear model has none"}}], ["error"])
    assert (reason.failed, reason.valueless) == (0, 0)


def test_a_group_is_averaged_within_repetitions_first(cell):
    rows = []
    for pair, values in {"x": [0.1, 0.3], "y": [0.5, 0.7]}.items():
        rows += cell("m", values, pair=pair, group="g", dataset_params={"pair": pair})
    *cells, group = points(rows, ["error"])
    assert [point.mean for point in cells] == pytest.approx([0.2, 0.6])
    assert group.dataset == "g"
    assert (group.mean, group.n) == (pytest.approx(0.4), 2)
    assert group.stderr == pytest.approx(stats.sem([0.3, 0.5]))


def test_along_a_parameter_of_the_data_set_parts_pair_from_point_to_point(make_row):
    given = [{"n": n, "margin": 1} for n in (1, 2)]
    rows = [make_row(0, 0.1, axis="dataset.n", axis_value=each["n"], dataset_params=each) for each in given]
    assert [list(point.parts) for point in points(rows, ["error"])] == [[(0, "d margin=1")]] * 2


def test_a_method_whose_values_are_lacking_is_not_compared_on_the_rest(cell):
    rows = [{**row, "status": "ok"} for row in cell("a", [0.1, 0.1, None, None]) + cell("b", [0.2] * 4)]
    assert best_of(points(rows, ["error"]), greater_is_better=False).algorithm == "b"


NOISE = np.array([-0.01, 0, 0.01])


def test_area_is_the_mean_along_the_axis(cell):
    curves = {"steady": [0.2, 0.2, 0.2], "steep": [0.0, 0.2, 0.8], "late": [0.1, 0.1, 0.5]}
    rows = []
    for name, values in curves.items():
        for place, value in zip([0.0, 1.0, 4.0], values, strict=True):
            rows += cell(name, value + NOISE, axis_value=place)
    (grid,) = arrange(points(rows, ["error"]), {"error": False})
    areas = standings(grid).curves
    assert areas["steady"].mean == pytest.approx(0.2)
    assert areas["steep"].mean == pytest.approx((0.1 * 1 + 0.5 * 3) / 4)
    assert areas["steep"].stderr == pytest.approx(0.01 / math.sqrt(3))


def test_shares_of_the_features_stand_where_what_can_be_taken_of_them_does(cell):
    """Of seven columns 10, 25 and 50 % are 1, 2 and 4; where part of one is left in the budget, 0, 1 and 3."""
    curve = {0.0: 0.1, 0.1: 0.2, 0.25: 0.3, 0.5: 0.7}
    for taken in ((0, 1, 2, 4), (0, 0, 1, 3)):
        amounts = (0.0, 1.0, 2.0, 4.0) if taken[1] else (0.0, 0.7, 1.75, 3.5)
        rows = []
        for (share, value), budget in zip(curve.items(), amounts, strict=True):
            for name in "ab":
                rows += cell(name, value + NOISE, axis_value=share, budget=budget, n_features=7)
        (grid,) = arrange(points(rows, ["error"]), {"error": False})
        at = [count / 7 for count in taken]
        assert list(grid.places.values()) == pytest.approx(at)
        assert grid.headings == [f"{100 * share:.3g}%" for share in at]
        first = standings(grid).curves["a"]
        assert first.mean == pytest.approx(np.trapezoid(list(curve.values()), at) / at[-1])
        leading = sum(weight * np.mean([*side.values.values()]) for weight, side in along_the_axis(grid, "a"))
        assert leading == pytest.approx(first.mean)


@pytest.mark.parametrize(
    ("given", "shown"),
    [([2.0, 0.0, 10.0, 1.0], [0.0, 1.0, 2.0, 10.0]), (["wide", "narrow", "all"], ["wide", "narrow", "all"])],
)
def test_numbers_are_in_their_order_and_names_in_the_suites(make_row, given, shown):
    rows = [make_row(axis_value=value, value=0.5) for value in given]
    (grid,) = arrange(points(rows, ["error"]), {"error": False})
    assert list(grid.columns) == shown


def test_a_label_stands_alone_and_keeps_what_tells_apart(make_row, make_results):
    def grids(labels, *params):
        rows = [make_row(r, 0.1, dataset="mine", dataset_params=each, pair=each) for each in params for r in range(2)]
        named = Analysis(make_results(rows, labels=labels, axis_titles={"a": "features deleted"})).grids
        assert {grid.axis_title for grid in named} == {"features deleted"}
        return [grid.name for grid in named]

    file = {"path": "/a/long/way/to/first.csv", "target": "outcome"}
    assert grids(["mine"], file) == ["mine"]
    assert grids([], file) == ["mine path=/a/long/way/to/first.csv target=outcome"]
    assert grids(["mine"], {**file, "pair": 1}, {**file, "pair": 2}) == ["mine pair=1", "mine pair=2"]


LOSS = {"error": False}


def test_against_the_best_is_scipys(make_row):
    rng = np.random.default_rng(3)
    samples = {name: rng.normal(center, 0.05, 12) for name, center in {"a": 0.2, "b": 0.3, "c": 0.21}.items()}
    rows = [make_row(r, v, algorithm=name) for name, values in samples.items() for r, v in enumerate(values)]
    found = points(rows, ["error"])
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


def test_a_table_says_why_its_interval_and_its_p_value_disagree(cell, make_results):
    """Five differences of one sign are sure by their mean, and too few for signed ranks."""
    for repetitions, disagree in ((5, True), (12, False)):
        at = np.arange(repetitions)
        analysis = Analysis(make_results(cell("a", 0.1 + at / 99) + cell("b", 0.3 + at / 88)))
        assert ("disagree" in differences(analysis, analysis.grids[0]).note) == disagree


def test_rank_biserial_by_hand_and_no_effect_of_equal_values(cell):
    (only,) = compare(points(cell("a", [0.0] * 3) + cell("b", [0.3, 0.2, -0.1]), ["error"]), LOSS)
    # Ranks 3 and 2 for b, 1 against: (5 - 1) / 6.
    assert only.rank_biserial == pytest.approx(4 / 6)
    (only,) = compare(points(cell("a", [0.5] * 6) + cell("b", [0.5] * 6), ["error"]), LOSS)
    assert (only.difference, only.dz, only.rank_biserial, only.wilcoxon, only.p_interval) == (0, 0, 0, 1, 1)
    # Ties of six repetitions are no proof of equality: four rows more would have shown.
    assert only.low < 0 < only.high
    assert not only.significant()


def splits(cell, values, **fields):
    """Two algorithms whose differences are the values, on random splits of 400 rows of which 100 are tested."""
    drawn = {"n_rows": 400, "n_test": 100, "generated": False} | fields
    return points(cell("a", [0.2] * len(values), **drawn) + cell("b", 0.2 + values, **drawn), ["error"])


def test_on_new_rows_the_variance_is_corrected_and_records_that_do_not_tell_their_rows_get_no_star(cell):
    values = np.random.default_rng(1).normal(0.02, 0.03, 20)
    (rows,) = compare(splits(cell, values), LOSS)
    (these,) = compare(splits(cell, values), LOSS, scope="splits")
    assert these.p_interval == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    assert these.p == these.wilcoxon == pytest.approx(stats.wilcoxon(values).pvalue)
    # Nadeau & Bengio 2003 with n_test / (M - n_test) = 1/3.
    t = values.mean() / np.sqrt(values.var(ddof=1) * (1 / 20 + 1 / 3))
    assert rows.p == rows.p_interval == pytest.approx(2 * stats.t.sf(t, 19))
    assert np.isnan(rows.wilcoxon)
    half = stats.t.ppf(0.975, 19) * np.sqrt(values.var(ddof=1) * (1 / 20 + 1 / 3))
    assert (rows.low, rows.high) == pytest.approx((values.mean() - half, values.mean() + half))
    found = splits(cell, np.random.default_rng(1).normal(0.1, 0.01, 20), n_rows=None, n_test=None)
    for scope, told in (("rows", False), ("splits", True)):
        (only,) = compare(found, LOSS, scope=scope)
        assert only.significant() == told


def test_a_margin_tells_what_each_difference_is(cell):
    noise = 0.002 * np.array([-1, 1, -2, 2, 0, 1, -1, 0.5])
    for shift, relation in ((0.0, "equivalent"), (0.3, "worse"), (-0.3, "better"), (0.02, "undecided")):
        found = splits(cell, shift + noise)
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


def test_a_group_pairs_by_repetition_and_data_set_where_both_methods_have_the_repetition_whole(cell, make_row):
    """Whoever fails on the hard data set must not look better for it."""
    at = np.arange(8)
    easy, hard = ({"dataset": name, "group": "g", "pair": name} for name in ("easy", "hard"))
    rows = cell("sound", 0.1 + 0.001 * at, **easy) + cell("sound", 0.5 + 0.001 * at, **hard)
    rows += cell("frail", 0.12 + 0.002 * at, **easy) + cell("frail", [None] * 8, **hard)
    (only,) = [each for each in compare(points(rows, ["error"]), LOSS) if each.place.dataset == each.place.group]
    assert (only.algorithm, only.reference) == ("frail", "sound")
    assert only.difference == pytest.approx(0.02 + 0.001 * np.mean(at))
    assert only.worse
    ends = {
        "a": {"narrow": {0: 0.1, 1: 0.2}, "wide": {1: 0.3, 2: 0.2}},
        "b": {"narrow": {0: 0.1, 3: 0.2}, "wide": {2: 0.3, 3: 0.2}},
    }
    found = points(of_group(make_row, ends), ["error"])
    for reference in ("best", "a"):
        assert [each for each in compare(found, LOSS, reference) if each.place.dataset == each.place.group] == []
    # b is better where a repetition is whole; one that is not would turn it round.
    a = {"narrow": dict.fromkeys(range(5), 0.3) | {5: 0.0}, "wide": {r: 0.3 + 0.01 * r for r in range(5)}}
    b = {"narrow": dict.fromkeys(range(5), 0.2) | {5: 9.0}, "wide": {r: 0.2 + 0.01 * r for r in range(5)}}
    found = points(of_group(make_row, {"a": a, "b": b}), ["error"])
    [only] = [each for each in compare(found, LOSS, "a") if each.place.dataset == each.place.group]
    assert only.difference == pytest.approx(-0.1)
    assert not only.worse
