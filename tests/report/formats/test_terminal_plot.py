"""Curves in the terminal fit, and can be told apart without colour."""

import pytest

from benchkit.report.formats.terminal_plot import terminal_plot
from benchkit.report.grid import arrange
from benchkit.report.statistics.points import points


@pytest.fixture
def grid(make_row):
    values = {"flat": [0.2, 0.2, 0.2], "rising": [0.0, 0.4, 0.8]}
    rows = [
        make_row(0, value, algorithm=name, axis_value=place)
        for name, row in values.items()
        for place, value in zip([0.0, 1.0, 4.0], row, strict=True)
    ]
    (only,) = arrange(points(rows, ["error"]), {"error": False})
    return only


def test_it_fits_and_names_its_curves(grid):
    lines = terminal_plot(grid, 60, 15, colour=False).splitlines()
    assert max(map(len, lines)) <= 60
    assert "A flat   B rising" in lines[-1]
    assert "error on d under a" in lines[0]
    drawn = lines[2:-4]
    height = {letter: [n for n, line in enumerate(drawn) if letter in line] for letter in "AB"}
    assert len(set(height["A"])) == 1
    assert len(height["B"]) > 5
    assert "\x1b" not in "".join(lines)


def test_colour_is_for_terminals(grid):
    assert "\x1b[38;5;" in terminal_plot(grid, 60, 15)
