"""Points arranged in tables."""

import pytest

from benchkit.report.grid import arrange
from benchkit.report.statistics import points


@pytest.mark.parametrize(
    ("given", "shown"),
    [([2.0, 0.0, 10.0, 1.0], [0.0, 1.0, 2.0, 10.0]), (["wide", "narrow", "all"], ["wide", "narrow", "all"])],
)
def test_numbers_are_in_their_order_and_names_in_the_suites(make_row, given, shown):
    rows = [make_row(axis_value=value, value=0.5) for value in given]
    (grid,) = arrange(points(rows, ["error"]), {"error": False})
    assert list(grid.columns) == shown
