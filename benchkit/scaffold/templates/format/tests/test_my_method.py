"""The format, of a run."""

from collections.abc import Callable

from benchkit import Analysis, Results
from benchkit_my_method.my_method import my_method


def test_it_has_a_line_for_every_mean(benchkit_tiny_run: Callable[..., Results]) -> None:
    analysis = Analysis(benchkit_tiny_run({}))
    lines = [line.split("\t") for line in my_method(analysis).splitlines() if "\t" in line]
    assert len(lines) == len(analysis.points)
    assert {line[3] for line in lines} == {"constant"}
