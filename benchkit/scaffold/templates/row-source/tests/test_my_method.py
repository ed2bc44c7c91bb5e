"""The rows, beside those of a run."""

from collections.abc import Callable
from pathlib import Path

import pytest
from benchkit_my_method.my_method import COLUMNS, my_method

from benchkit import PublishError, Results


def test_a_method_that_ran_elsewhere(benchkit_tiny_run: Callable[..., Results], tmp_path: Path) -> None:
    results = benchkit_tiny_run({})
    file = tmp_path / "elsewhere.csv"
    lines = [
        f"theirs,breast,greedy-delete,{float(row['axis_value'] or 0):g},{row['repetition']},0.25"
        for row in results.rows
    ]
    file.write_text("\n".join([",".join([*COLUMNS, "error"]), *lines]))
    joined = my_method(str(file)).join(results, {})
    assert {(point.algorithm, point.mean) for point in joined.points() if point.algorithm == "theirs"} == {
        ("theirs", 0.25)
    }
    assert len(joined.rows) == 2 * len(results.rows)


def test_a_file_without_its_columns(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(PublishError, match="no column method"):
        my_method(str(tmp_path / "other.csv"))
