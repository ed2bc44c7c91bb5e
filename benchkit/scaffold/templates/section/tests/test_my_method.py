"""The section, of a run."""

from collections.abc import Callable

from benchkit import Results
from benchkit_my_method.my_method import my_method


def test_it_counts_the_fits_of_a_run(benchkit_tiny_run: Callable[..., Results]) -> None:
    table = my_method(benchkit_tiny_run({}))
    assert table is not None
    assert [row[:2] for row in table.rows] == [["constant", 2]]
