"""Means, standard errors and paired differences against scipy and by hand; points arranged in tables."""

import math

import numpy as np
import pytest
from scipy import stats

from benchkit.report.analysis import Analysis
from benchkit.report.grid import arrange
from benchkit.report.points import best_of, points
from benchkit.report.standings import along_the_axis, standings
from benchkit.report.tables import means


def test_points_count_what_failed(make_row):
    (point,) = points([make_row(0, 0.2), make_row(1, 0.4), make_row(2, None, "failed")], ["error"])
    assert (point.mean, point.n, point.failed) == (pytest.approx(0.3), 2, 1)
    assert point.stderr == pytest.approx(0.1)
    (empty,) = points([make_row(0, None, "failed")], ["error"])
    assert (empty.mean, empty.stderr, empty.n, empty.failed) == (None, None, 0, 1)


def test_a_group_is_averaged_within_repetitions_first(make_row):
    rows = [
        make_row(r, value, cell=cell, group="g", dataset_params={"pair": cell})
        for cell, values in {"x": [0.1, 0.3], "y": [0.5, 0.7]}.items()
        for r, value in enumerate(values)
    ]
    *cells, group = points(rows, ["error"])
    assert [point.mean for point in cells] == pytest.approx([0.2, 0.6])
    assert group.dataset == "g"
    assert (group.mean, group.n) == (pytest.approx(0.4), 2)
    assert group.stderr == pytest.approx(stats.sem([0.3, 0.5]))


def test_along_a_parameter_of_the_data_set_parts_pair_from_point_to_point(make_row):
    rows = [
        make_row(0, 0.1 * n, cell=str(n), axis="dataset.n", axis_value=n, dataset_params={"n": n, "margin": 1})
        for n in (1, 2)
    ]
    assert [list(point.parts) for point in points(rows, ["error"])] == [[(0, "d margin=1")]] * 2


def test_intervals_end_where_the_metric_does(make_row):
    rows = [make_row(r, value, n_rows=30, n_test=10) for r, value in enumerate([0.0, 0.1, 0.3])]
    (free,), (ended,) = points(rows, ["error"]), points(rows, ["error"], ranges={"error": (0, 1)})
    assert free.interval()[0] < 0
    assert ended.interval() == (0, free.interval()[1])


def test_a_metric_without_a_value_is_no_failed_trial(make_row):
    (empty,) = points([make_row(0, None)], ["error"])
    assert (empty.mean, empty.n, empty.failed, empty.valueless) == (None, 0, 0, 1)
    (published,) = points([{**make_row(0, None), "metrics": {}, "published": "s/a"}], ["error"])
    assert (published.failed, published.valueless) == (0, 0)
    (reason,) = points([{**make_row(0, None), "no_value": {"error": "a linear model has none"}}], ["error"])
    assert (reason.failed, reason.valueless) == (0, 0)


def test_a_method_whose_values_are_lacking_is_not_compared_on_the_rest(make_row):
    rows = [make_row(r, 0.1 if r < 2 else None, algorithm="a", cell="a") for r in range(4)]
    rows += [make_row(r, 0.2, algorithm="b", cell="b") for r in range(4)]
    chosen = best_of(points(rows, ["error"]), greater_is_better=False)
    assert chosen is not None
    assert chosen.algorithm == "b"


@pytest.fixture
def grid(make_row):
    curves = {"steady": [0.2, 0.2, 0.2], "steep": [0.0, 0.2, 0.8], "late": [0.1, 0.1, 0.5]}
    rows = [
        make_row(r, value + 0.01 * r, algorithm=name, axis_value=place)
        for name, values in curves.items()
        for place, value in zip([0.0, 1.0, 4.0], values, strict=True)
        for r in (-1, 0, 1)
    ]
    (only,) = arrange(points(rows, ["error"]), {"error": False})
    return only


def test_area_is_the_mean_along_the_axis(grid):
    areas = standings(grid).curves
    assert areas["steady"].mean == pytest.approx(0.2)
    assert areas["steep"].mean == pytest.approx((0.1 * 1 + 0.5 * 3) / 4)
    assert areas["steep"].stderr == pytest.approx(0.01 / math.sqrt(3))


def test_shares_of_the_features_stand_where_what_can_be_taken_of_them_does(make_row):
    """Of seven columns 10, 25 and 50 % are 1, 2 and 4; where part of one is left in the budget, 0, 1 and 3."""
    curve = {0.0: 0.1, 0.1: 0.2, 0.25: 0.3, 0.5: 0.7}
    for taken in ((0, 1, 2, 4), (0, 0, 1, 3)):
        amounts = (0.0, 1.0, 2.0, 4.0) if taken[1] else (0.0, 0.7, 1.75, 3.5)
        rows = [
            make_row(r, value + 0.01 * r, algorithm=name, axis_value=share, budget=budget, n_features=7)
            for name in ("a", "b")
            for (share, value), budget in zip(curve.items(), amounts, strict=True)
            for r in (-1, 0, 1)
        ]
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


def test_shares_are_percentages_in_every_number_of_an_axis(make_row, make_results):
    rows = [
        make_row(r, level, algorithm=name, axis_value=place, budget=place * 8)
        for name, curve in {"a": [0.1, 0.4, 0.9], "constant": [0.5, 0.5, 0.5]}.items()
        for place, level in zip([0.0, 0.1, 0.125], curve, strict=True)
        for r in range(3)
    ]
    analysis = Analysis(make_results(rows, attack_order={"metrics": {"error": False}, "pairs": []}))
    (grid,) = analysis.grids
    assert grid.headings == ["0%", "10%", "12.5%"]
    assert any("a on d under a at 12.5%. Do not use" in said for said in analysis.cautions)


def test_the_legend_of_a_group_counts_its_trials(make_row, make_results):
    rows = [
        make_row(r, 0.1 + 0.01 * r, "failed" if (name, data, r) == ("a", "wide", 0) else "ok", algorithm=name)
        | {"dataset": data, "group": "g", "cell": name + data}
        for name in "ab"
        for data in ("narrow", "wide")
        for r in range(3)
    ]
    analysis = Analysis(make_results(rows))
    (grid,) = analysis.grids
    assert any(note.startswith("1 of 12 trials did not end ok") for note in analysis.legend(grid))
    assert {cell.count for row in means(analysis, grid).cells for cell in row} == {"", "2 of 3"}
