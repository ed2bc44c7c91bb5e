"""The journal survives torn and foreign lines, and belongs to one run at a time."""

import json
import math
import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.journal import JournalError, Store, read_run


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


def test_a_full_disk_loses_nothing_that_is_written_and_spoils_no_next_line(store):
    store.append(record("a"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (store.journal.stat().st_size + 20, limits[1]))
    try:
        with pytest.raises(JournalError, match="trials.jsonl: cannot write: File too large"):
            store.append(record("b"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    store.append(record("b"))
    store.append(record("c"))
    assert [row["trial"] for row in store.rows()] == ["a", "b", "c"]
    assert store.damaged == []


def test_no_run_here(tmp_path):
    with pytest.raises(JournalError, match="no run here; name runs/SUITE"):
        read_run(tmp_path)
    for text in ("{}", "[1]", "{", '{"trials": 3}', '{"trials": []}'):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(JournalError, match="not a manifest"):
            read_run(tmp_path)
