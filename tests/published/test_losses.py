"""Published losses: row by row what a run has kept, and nothing that a stranger made up."""

import io
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from benchkit.journal import PublishError
from benchkit.published import rows as published_rows
from benchkit.published.as_run import suite_results
from benchkit.published.join import join_published
from benchkit.published.losses import LOSS_COLUMNS, RowLosses, differing, key_of, packed
from benchkit.published.rows import from_parquet, losses_from_parquet, to_parquet
from benchkit.published.stored import open_folder
from benchkit.published.submission import check_submission
from benchkit.published.write import publish
from benchkit.trial.outcomes import RowOutcomes, TestPart


def outcomes(rows, loss, groups=None):
    classes = (0, 1) if loss.dtype == bool else None
    return RowOutcomes(TestPart(np.asarray(rows, np.int32), np.zeros(len(rows)), classes, groups), loss)


@given(st.data(), st.booleans(), st.booleans())
def test_what_is_packed_is_unpacked_row_by_row(data, classifies, grouped):
    rows = data.draw(st.lists(st.integers(0, 300), min_size=1, max_size=40, unique=True))
    one = st.booleans() if classifies else st.floats(0, 1e6, width=32)
    loss = np.array(data.draw(st.lists(one, min_size=len(rows), max_size=len(rows))), bool if classifies else "f4")
    groups = np.arange(len(rows), dtype=np.int32) // 3 if grouped else None
    kept = packed(outcomes(rows, loss, groups))
    assert kept.problem(len(rows)) == ""
    again = kept.unpacked()
    order = np.argsort(rows)
    assert (again.part.rows == np.array(rows)[order]).all()
    assert (again.loss == loss[order]).all()
    assert again.loss.dtype == loss.dtype
    assert (again.part.groups is None) == (groups is None)
    assert groups is None or (again.part.groups == groups[order]).all()
    assert differing(kept, outcomes(rows, loss, groups), 0.0) == (len(rows), 0)


def test_rows_that_were_tested_twice_are_not_published():
    assert packed(outcomes([1, 1], np.array([True, False]))) is None


def test_rows_that_lose_something_else_are_counted():
    kept = packed(outcomes([4, 2, 9], np.array([True, False, False])))
    assert differing(kept, outcomes([2, 4, 9], np.array([False, False, True])), 1e-6) == (3, 2)
    assert differing(kept, outcomes([2, 4, 8], np.array([False, True, False])), 1e-6) == (3, 3)
    assert differing(kept, outcomes([2, 4, 9], np.zeros(3, "f4")), 1e-6) == (3, 3)
    assert differing(kept, None, 1e-6) == (3, 3)
    squared = packed(outcomes([0, 1], np.array([1.0, 1e4], "f4")))
    assert differing(squared, outcomes([0, 1], np.array([1.001, 1e4 + 1e-3], "f4")), 1e-6) == (2, 1)


def test_a_run_beside_published_rows_has_the_intervals_of_one_run(first):
    results, folder = first
    stored = open_folder(folder)
    own = [row for row in results.rows if row["algorithm"] == "svm"]
    joined = join_published(replace(results, rows=own), stored)
    assert {bool(row.get("published")) for row in joined.rows} == {True, False}
    alone, together = results.comparisons(), joined.comparisons()
    assert all(each.by_rows for each in alone)
    assert [(each.low, each.high, each.holm, each.by_rows) for each in together] == [
        (each.low, each.high, each.holm, each.by_rows) for each in alone
    ]


def test_published_rows_alone_have_them_too(first, tmp_path):
    results, folder = first
    again = suite_results(open_folder(folder), "tiny", "default")
    ends = sorted((each.low, each.high) for each in again.comparisons() if each.by_rows)
    assert ends == sorted((each.low, each.high) for each in results.comparisons())


def test_rows_without_losses_stand_beside_those_that_have_some(first, tmp_path):
    results, _ = first
    publish([results.folder], tmp_path / "results", losses=False)
    stored = open_folder(tmp_path / "results")
    assert not any(stored.losses(file["path"]) for file in stored.index["files"])
    own = [row for row in results.rows if row["algorithm"] == "svm"]
    joined = join_published(replace(results, rows=own), stored)
    assert not any(each.by_rows for each in joined.comparisons())
    # Published again, the rows that are there get their losses, and no row comes twice.
    told = publish([results.folder], tmp_path / "results")
    assert (told.added, told.known, told.sharper) == (0, len(results.rows), len(results.rows))
    stored = open_folder(tmp_path / "results")
    assert all(len(stored.losses(file["path"])) == file["rows"] for file in stored.index["files"])
    assert publish([results.folder], tmp_path / "results").sharper == 0
    assert check_submission(tmp_path / "results") == []


def test_nobody_sharpens_what_another_published(first, tmp_path):
    results, _ = first
    publish([results.folder], tmp_path / "results", by="A", losses=False)
    told = publish([results.folder], tmp_path / "results", by="B")
    assert (told.known, told.sharper) == (len(results.rows), 0)


@pytest.fixture
def changed(first, write_table):
    """Put other losses into every row of a file."""

    def change(**columns):
        path = first[1] / json.loads((first[1] / "index.json").read_text())["files"][0]["path"]
        known = parquet.read_table(path)
        for name, value in columns.items():
            there = known.column_names.index(name) if name in known.column_names else None
            values = pa.array([value] * len(known), pa.binary())
            if there is None:
                known = known.append_column(name, values)
            else:
                known = known.set_column(there, name, values)
        sink = io.BytesIO()
        parquet.write_table(known, sink)
        return write_table(sink.getvalue())

    return change


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
        ({"tested": b"\0" * 2_000_000}, "a value of 2000000 bytes; published results have 1048576 at most"),
    ],
)
def test_losses_that_cannot_be_are_refused_in_one_line(columns, complaint, changed):
    folder = changed(**columns)
    stored = open_folder(folder)
    path = stored.index["files"][0]["path"]
    assert stored.rows(path)
    with pytest.raises(PublishError, match=complaint) as told:
        stored.losses(path)
    assert "\n" not in str(told.value)
    assert any(complaint in problem for problem in check_submission(folder))


def test_losses_of_other_types_are_refused(first):
    path = next(first[1].rglob("svm.parquet"))
    known = parquet.read_table(path)
    place = known.column_names.index("wrong")
    sink = io.BytesIO()
    parquet.write_table(known.set_column(place, "wrong", pa.array(["x"] * len(known))), sink)
    with pytest.raises(PublishError, match="'wrong' is string, expected binary"):
        losses_from_parquet(sink.getvalue(), "svm.parquet")


def test_losses_in_all_are_bounded(first, monkeypatch):
    monkeypatch.setattr(published_rows, "_MOST_LOSSES", 10)
    with pytest.raises(PublishError, match="more than are published"):
        losses_from_parquet(next(first[1].rglob("svm.parquet")).read_bytes(), "svm.parquet")


def test_made_up_losses_are_not_believed(first, changed):
    results, _ = first
    folder = changed(wrong=b"\xff" * 7 + b"\xf0")
    [problem] = check_submission(folder)
    assert "losses with another mean than error in 6 rows" in problem
    own = [row for row in results.rows if row["algorithm"] == "svm"]
    joined = join_published(replace(results, rows=own), open_folder(folder))
    assert len(joined.rows) == len(results.rows)
    assert not any(each.by_rows for each in joined.comparisons())


def test_a_file_of_earlier_versions_is_read_as_before(first):
    path = next(first[1].rglob("svm.parquet"))
    known = parquet.read_table(path)
    sink = io.BytesIO()
    parquet.write_table(known.drop_columns([name for name in LOSS_COLUMNS if name in known.column_names]), sink)
    assert from_parquet(sink.getvalue(), "f") == from_parquet(path.read_bytes(), "f")
    assert losses_from_parquet(sink.getvalue(), "f") == {}


def test_groups_and_how_many_there_are_survive(first):
    row = {**from_parquet(next(first[1].rglob("svm.parquet")).read_bytes(), "f")[0], "units": {"groups": 30}}
    losses = {key_of(row): RowLosses(b"\xff" * 7 + b"\xf0", groups=b"\1\0\0\0" * 60, squared=b"\0" * 240)}
    content = to_parquet([row], losses)
    assert from_parquet(content, "f")[0]["units"] == {"groups": 30}
    assert losses_from_parquet(content, "f") == losses
