"""Published losses: row by row what a run has kept, and nothing that a stranger made up."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.errors import PublishError
from benchkit.trial.rows import RowOutcomes, TestPart
from benchkit_results.publish import publish
from benchkit_results.rows import RowLosses, read_losses, read_rows, write_rows
from benchkit_results.stored import open_stored

from .conftest import join


def outcomes(rows, loss, groups=None):
    classes = (0, 1) if loss.dtype == bool else None
    return RowOutcomes(TestPart(np.asarray(rows, np.int32), np.zeros(len(rows)), classes, groups), loss)


def of_svm(results):
    """A run of one method, for the others to join."""
    return replace(results, rows=[row for row in results.rows if row["algorithm"] == "svm"])


@given(st.data(), st.booleans(), st.booleans())
def test_what_is_packed_is_unpacked_row_by_row(data, classifies, grouped):
    rows = data.draw(st.lists(st.integers(0, 300), min_size=1, max_size=40, unique=True))
    one = st.booleans() if classifies else st.floats(0, 1e6, width=32)
    loss = np.array(data.draw(st.lists(one, min_size=len(rows), max_size=len(rows))), bool if classifies else "f4")
    groups = np.arange(len(rows), dtype=np.int32) // 3 if grouped else None
    kept = RowLosses.of(outcomes(rows, loss, groups))
    assert kept.problem(len(rows)) == ""
    again = kept.unpacked()
    order = np.argsort(rows)
    assert (again.part.rows == np.array(rows)[order]).all()
    assert (again.loss == loss[order]).all()
    assert again.loss.dtype == loss.dtype
    assert (again.part.groups is None) == (groups is None)
    assert groups is None or (again.part.groups == groups[order]).all()
    assert kept.differing(RowLosses.of(outcomes(rows, loss, groups)), 0.0) == 0


def test_rows_that_lose_something_else_are_counted():
    kept = RowLosses.of(outcomes([4, 2, 9], np.array([True, False, False])))

    def differ(rows, loss, tolerance=1e-6):
        return kept.differing(RowLosses.of(outcomes(rows, np.array(loss))), tolerance)

    assert differ([2, 4, 9], [False, False, True]) == 2
    assert differ([2, 4, 8], [False, True, False]) == 3
    assert differ([2, 4, 9], np.zeros(3, "f4")) == 3
    assert kept.differing(None, 1e-6) == 3
    kept = RowLosses.of(outcomes([0, 1], np.array([1.0, 1e4], "f4")))
    assert differ([0, 1], np.array([1.001, 1e4 + 1e-3], "f4")) == 1


def test_a_run_beside_published_rows_has_the_intervals_of_one_run(first):
    results, folder = first
    joined = join(of_svm(results), folder)
    assert {bool(row.get("published")) for row in joined.rows} == {True, False}
    alone, together = results.comparisons(), joined.comparisons()
    assert all(each.by_rows for each in alone)
    assert [(each.low, each.high, each.holm, each.by_rows) for each in together] == [
        (each.low, each.high, each.holm, each.by_rows) for each in alone
    ]


def test_rows_without_losses_stand_beside_those_that_have_some(first, tmp_path):
    results, _ = first
    (written,) = publish([results.folder], tmp_path / "results", losses=False)
    assert (written.rows, written.with_losses) == (12, 0)
    joined = join(of_svm(results), tmp_path / "results")
    assert not any(each.by_rows for each in joined.comparisons())
    # Published again, the run has them.
    (written,) = publish([results.folder], tmp_path / "results")
    assert (written.rows, written.with_losses) == (12, 12)
    (published,) = open_stored(tmp_path / "results").runs.values()
    assert len(published.losses) == 12


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"tested": b"\xff"}, "losses of 8 rows, where 60 were tested"),
        ({"wrong": b"\0" * 7}, "not one loss for each tested row"),
        ({"wrong": b"\0" * 7 + b"\x01"}, "a loss of a row that was not tested"),
        ({"wrong": None}, "expected losses as `wrong` or as `squared`"),
        ({"squared": b"\0" * 240}, "expected losses as `wrong` or as `squared`"),
        ({"wrong": None, "squared": b"\0" * 239}, "not one loss for each tested row"),
        ({"wrong": None, "squared": np.full(60, np.nan, "<f4").tobytes()}, "a squared error that is none"),
        ({"wrong": None, "squared": np.full(60, -1, "<f4").tobytes()}, "a squared error that is none"),
        ({"groups": b"\0"}, "not one group for each tested row"),
    ],
)
def test_losses_that_cannot_be_are_refused_in_one_line(columns, complaint, with_column):
    (published,) = open_stored(with_column(**columns)).runs.values()
    assert published.rows
    with pytest.raises(PublishError, match=complaint) as refusal:
        _ = published.losses
    assert "\n" not in str(refusal.value)


def test_made_up_losses_are_not_believed(first, with_column):
    results, _ = first
    folder = with_column(wrong=b"\xff" * 7 + b"\xf0")
    joined = join(of_svm(results), folder)
    assert len(joined.rows) == len(results.rows)
    assert not any(each.by_rows for each in joined.comparisons())


def test_groups_and_how_many_there_are_survive(first, tmp_path):
    (published,) = open_stored(first[1]).runs.values()
    row = {**published.rows[0], "units": {"groups": 30}}
    losses = {row["trial"]: RowLosses(b"\xff" * 7 + b"\xf0", groups=b"\1\0\0\0" * 60, squared=b"\0" * 240)}
    write_rows(tmp_path / "f.parquet", [row], losses)
    assert read_rows(tmp_path / "f.parquet", published.name) == [row]
    assert read_losses(tmp_path / "f.parquet") == losses
