"""What anybody may have put into a folder is read within bounds, or refused in one line."""

import json
import os

import pytest

from benchkit.journal import JournalError, Store, find_group, read_group, read_manifest
from benchkit.regular_file import (
    ReadingRoom,
    open_regular,
    parse_json,
    read_regular,
    require_few_values,
    require_regular,
)


@pytest.fixture(params=["device", "pipe", "folder"])
def no_file(request, tmp_path):
    """A path where no regular file is."""
    path = tmp_path / "odd"
    if request.param == "device":
        path.symlink_to("/dev/zero")
    elif request.param == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    return path


def test_only_regular_files_are_opened(no_file, tmp_path):
    for read in (open_regular, require_regular, lambda path: read_regular(path, 10)):
        with pytest.raises(OSError, match=r"no file of data|a folder"):
            read(no_file)
    require_regular(tmp_path / "nothing")


def test_no_more_than_the_most_is_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_regular(path, 5) == b"12345"
    with pytest.raises(OSError, match="larger than"):
        read_regular(path, 4)


def test_json_of_too_many_values_or_levels():
    assert parse_json(b'{"a": [1, 2]}') == {"a": [1, 2]}
    with pytest.raises(ValueError, match="more than 10 values"):
        require_few_values(b"[" + b"1," * 10 + b"1]", 10)
    with pytest.raises(ValueError, match="nested too deep"):
        parse_json(b"[" * 200_000 + b"]" * 200_000)


def test_the_memory_that_reading_takes(monkeypatch):
    peak = [100.0]
    monkeypatch.setattr("benchkit.regular_file._peak_megabytes", lambda: peak[0])
    monkeypatch.setattr(ReadingRoom, "_taken", 0.0)
    monkeypatch.setenv("BENCHKIT_READ_MB", "50")
    first = ReadingRoom("rows")
    peak[0] = 140.0
    first.check()
    first.leave()
    second, free = ReadingRoom("more"), ReadingRoom("own", limited=False)
    peak[0] = 155.0  # 40 of the first, 15 of the second
    free.check()
    with pytest.raises(OSError, match="more than 50 MB of memory; where you trust it, set BENCHKIT_READ_MB"):
        second.check()


def replaced(path, kind):
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "device":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(path)


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_a_journal_that_is_no_file(tmp_path, kind):
    store = Store(tmp_path, "s")
    replaced(store.journal, kind)
    with pytest.raises(JournalError, match=r"trials.jsonl: cannot read: a device or a pipe"):
        store.rows()
    with pytest.raises(JournalError, match=r"a device or a pipe"):
        store.open()


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_a_manifest_that_is_no_file(tmp_path, kind):
    replaced(tmp_path / "manifest.json", kind)
    with pytest.raises(JournalError, match=r"manifest.json: cannot read: a device or a pipe"):
        read_manifest(tmp_path)


def test_the_manifest_of_a_million_trials_is_read(tmp_path):
    """It was refused as hostile once all of them had run: two lists of a value each, and the commas between them."""
    trials = [f"{number:016x}" for number in range(1_600_000)]
    content = {"suite": "many", "title": "", "suite_as_run": {"metrics": ["error"]}}
    written = {"trials": trials, "positions": list(range(len(trials)))}
    (tmp_path / "manifest.json").write_text(json.dumps({**content, **written}))
    assert read_manifest(tmp_path)["trials"] == trials


def test_manifests_of_hostile_json(tmp_path):
    (tmp_path / "manifest.json").write_text("[" * 100_000)
    with pytest.raises(JournalError, match="not a manifest: Invalid JSON"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text("[" + "0," * 12_000_001 + "0]")
    with pytest.raises(JournalError, match="it holds more than 12000000 values"):
        read_manifest(tmp_path)
    (tmp_path / "collection.json").write_text("[" * 200_000)
    assert find_group(tmp_path) == tmp_path
    with pytest.raises(JournalError, match="not the manifest of a collection: it is nested too deep"):
        read_group(tmp_path)


def test_lines_that_are_no_records(tmp_path):
    store = Store(tmp_path, "s")
    store.folder.mkdir()
    store.journal.write_bytes(b"x\n" * 30 + b"\n" * 30 + b"y" * (9 << 20) + b"\nz\n")
    assert store.rows() == []
    assert len(store.damaged) == 21
    assert store.damaged[-1] == "12 more lines were left out of trials.jsonl"
    store.journal.write_bytes(b"\n" * 100_002)
    with pytest.raises(JournalError, match="100000 lines are no records"):
        store.rows()


def test_rows_that_take_too_much_memory(tmp_path, monkeypatch):
    store = Store(tmp_path, "s")
    store.folder.mkdir()
    store.journal.write_bytes(b'{"a": "' + b"a" * (2 << 20) + b'"}\n')
    monkeypatch.setenv("BENCHKIT_READ_MB", "-1")
    with pytest.raises(JournalError, match="trials.jsonl: cannot read: reading it takes more than"):
        store.rows()
    assert store.rows(limited=False) == []
