"""What anybody may have put into a folder is read within bounds, or refused in one line."""

import os

import pytest

from benchkit.journal import JournalError, Store, find_group, read_group, read_manifest
from benchkit.suite.load import load
from benchkit.suite.source import SuiteError


@pytest.mark.parametrize("kind", ["device", "pipe", "folder", "nothing"])
def test_a_suite_is_a_file(tmp_path, kind):
    path = tmp_path / "odd.yaml"
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(SuiteError, match=r"odd\.yaml: cannot be read"):
        load(path)


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
