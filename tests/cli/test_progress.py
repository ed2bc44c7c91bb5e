"""What runs print while they run, where nobody sees a display in place: lines of a log."""

import pytest

from benchkit.cli.interface import progress
from benchkit.cli.interface.progress import PlainProgress

SHORT = [f"breast | lp | #{place}" for place in range(4)]
LONG = ["penguins path=penguins.csv target=species | logistic-regression | random-delete budget=1.0 | #1"] * 2


@pytest.mark.parametrize(
    ("running", "ends"),
    [
        ([], "0 failed"),
        (SHORT[:1], "running: breast | lp | #0"),
        (SHORT, "running: breast | lp | #0; breast | lp | #1 and 2 more"),
        (LONG, "; 2 running"),
    ],
)
def test_a_line_fits_eighty_columns(running, ends, monkeypatch, capsys):
    monkeypatch.setattr(progress, "_PLAIN_INTERVAL", 0.0)
    PlainProgress().tick(running)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(ends)
    assert len(line) <= 80
