"""The journal survives torn and foreign lines, and belongs to one run at a time."""

import errno
import json
import math
import os
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.journal import JournalError, Store, read_run, run_name
from benchkit.journal.manifest import find_run


def record(trial, status="ok", **more):
    blank = {"cell": "c", "dataset": "d", "algorithm": "m", "repetition": 0, "metrics": {}}
    return {"trial": trial, "status": status, **blank, **more}


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path, "s")
    store.open()
    yield store
    store.close()


def test_the_latest_record_counts(store):
    store.append(record("a", "failed"))
    store.append(record("b"))
    store.append(record("a"))
    assert {trial: row["status"] for trial, row in store.read().items()} == {"a": "ok", "b": "ok"}


def test_torn_and_foreign_lines_are_passed_over(tmp_path):
    store = Store(tmp_path, "s")
    store.folder.mkdir()
    whole = json.dumps(record("a"))
    store.journal.write_bytes(f'{whole}\nnot json\n[1, 2]\n{{"x": 1}}\n\xff\n{{"trial": "b", "sta'.encode("latin-1"))
    store.open()
    store.append(record("c"))
    store.close()
    assert sorted(store.read()) == ["a", "c"]


@given(cut=st.integers(0, 400))
def test_any_cut_loses_only_the_last_line(tmp_path_factory, cut):
    store = Store(tmp_path_factory.mktemp("runs"), "s")
    store.open()
    for name in "abc":
        store.append(record(name, filler="x" * 20))
    store.close()
    content = store.journal.read_bytes()
    store.journal.write_bytes(content[: max(0, len(content) - cut)])
    ends = [end for end, byte in enumerate(content, start=1) if content[end : end + 1] in (b"\n",) and byte == ord("}")]
    kept = sum(end <= len(content) - cut for end in ends)
    store.open()
    store.append(record("d"))
    store.close()
    assert sorted(store.read()) == [*"abc"[:kept], "d"]


def test_numbers_that_json_has_not_become_null(store):
    store.append(record("a", metrics={"x": math.nan, "y": [math.inf, 1.0]}))
    line = store.journal.read_text()
    assert json.loads(line, parse_constant=pytest.fail)["metrics"] == {"x": None, "y": [None, 1.0]}


def test_a_second_writer_is_refused(store, tmp_path):
    with pytest.raises(JournalError, match="another benchkit run"):
        Store(tmp_path, "s").open()


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "s").write_text("a file where the folder should be")
    with pytest.raises(JournalError, match="cannot write here"):
        Store(tmp_path, "s").open()


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOTSUP])
def test_a_file_system_without_locks_is_one_line_that_says_so(tmp_path, monkeypatch, code):
    def flock(descriptor, operation):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(JournalError, match="its file system has no locks .*use --out with a folder on another disk"):
        Store(tmp_path, "s").open()


@pytest.mark.parametrize(
    ("there", "now", "name"),
    [
        ("20300101-000000-000000", datetime(2026, 5, 1), "20300101-000000-000001"),  # the clock was set back
        ("20260101-000000-000000", datetime(2099, 5, 1), "20990501-000000-000000"),  # and forwards
        ("99991231-235959-999999", datetime(2026, 5, 1), "20260501-000000-000000"),  # no clock says what is later
        ("20261341-000000-000000", datetime(2026, 5, 1), "20260501-000000-000000"),
    ],
)
def test_runs_sort_by_when_they_began_whatever_the_clock_says(tmp_path, there, now, name):
    (tmp_path / there).mkdir()
    assert run_name(tmp_path, now) == name
    assert run_name(tmp_path / "not-there", now) == now.strftime("%Y%m%d-%H%M%S-%f")


def test_a_full_disk_is_one_line(store):
    store._file.close()
    store._file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115
    with pytest.raises(JournalError, match="No space left"):
        store.append(record("a"))


class HalfFull:
    """A file on a disk that is full after some bytes."""

    def __init__(self, file, room, truncates):
        self.file, self.room, self.truncates = file, room, truncates

    def write(self, data):
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self.file.write(data[: self.room])
        self.room -= written
        return written

    def truncate(self, size):
        if not self.truncates:
            raise OSError(errno.EIO, "Input/output error")
        self.file.truncate(size)

    def __getattr__(self, name):
        return getattr(self.file, name)


@pytest.mark.parametrize("truncates", [True, False])
def test_what_a_full_disk_took_half_of_does_not_spoil_the_next_line(store, truncates):
    store.append(record("a"))
    whole, store._file = store._file, HalfFull(store._file, 20, truncates)
    with pytest.raises(JournalError, match="No space left"):
        store.append(record("b"))
    store._file = whole
    store.append(record("b"))
    store.append(record("c"))
    assert [row["trial"] for row in store.rows()] == ["a", "b", "c"]
    assert len(store.damaged) == (0 if truncates else 1)


def test_no_run_here(tmp_path):
    with pytest.raises(JournalError, match="no run here"):
        read_run(tmp_path)
    (tmp_path / "votes-1996" / "1").mkdir(parents=True)
    (tmp_path / "votes-1996" / "1" / "manifest.json").write_text("{}")
    with pytest.raises(JournalError, match="no run here; did you mean .*votes-1996[?]$"):
        find_run(tmp_path / "votes")
    with pytest.raises(JournalError, match="no run here; name runs/SUITE"):
        find_run(tmp_path / "xyz")
    for text in ("{}", "[1]", "{", '{"trials": 3}', '{"trials": []}'):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(JournalError, match="not a manifest"):
            read_run(tmp_path)
