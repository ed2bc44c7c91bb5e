"""What anybody may have put into a folder is read within bounds, or refused in one line."""

import os

import pytest

from benchkit.journal import JournalError, Store, find_group, read_group, read_manifest
from benchkit.regular_file import open_regular, read_regular


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
    for read in (open_regular, lambda path: read_regular(path, 10)):
        with pytest.raises(OSError, match=r"no file of data|a folder"):
            read(no_file)


def test_no_more_than_the_most_is_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_regular(path, 5) == b"12345"
    with pytest.raises(OSError, match="larger than"):
        read_regular(path, 4)


def test_manifests_of_hostile_json(tmp_path):
    (tmp_path / "manifest.json").write_text("[" * 100_000)
    with pytest.raises(JournalError, match="not a manifest: Invalid JSON"):
        read_manifest(tmp_path)
    (tmp_path / "collection.json").write_text("[" * 200_000)
    assert find_group(tmp_path) == tmp_path
    with pytest.raises(JournalError, match="not the manifest of a collection"):
        read_group(tmp_path)


def test_lines_that_are_no_records(tmp_path):
    store = Store(tmp_path, "s")
    store.folder.mkdir()
    store.journal.write_bytes(b"x\n" * 30 + b"\n" * 30 + b"y\nz\n")
    assert store.rows() == []
    assert len(store.damaged) == 21
    assert store.damaged[-1] == "12 more lines were left out of trials.jsonl"
