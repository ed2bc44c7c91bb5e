"""Points arranged in tables."""

import pytest

from benchkit.report.analysis import Analysis
from benchkit.report.grid import arrange
from benchkit.report.points import points
from benchkit.report.tables import robustness


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
    (_, _, cell, _), _ = (row for row in robustness(analysis, grid).cells)
    assert cell.text == "10.5%"
    assert any("a on d under a at 12.5%. Do not use" in said for said in analysis.cautions)
