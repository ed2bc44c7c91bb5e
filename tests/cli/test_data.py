"""``benchkit data`` as a user meets it."""

import json
import os
import shutil
from pathlib import Path

import pytest

from benchkit.data.files import locate_file


@pytest.fixture
def spambase():
    """The real file, where a data folder has it."""
    found = locate_file("spambase/spambase.data")
    if found is None:
        pytest.skip("spambase.data is not here")
    return found


def test_list_and_show_say_where_files_are(here, tmp_path):
    (tmp_path / "spambase").mkdir()
    (tmp_path / "spambase" / "spambase.data").write_text("1,2\n")
    listed = json.loads(here("list", "datasets", "--json", BENCHKIT_DATA=str(tmp_path)).stdout)["rows"]
    files = {entry["name"]: entry["files"] for entry in listed}
    assert (files["spambase"], files["mnist"], files["breast"]) == ("here", "absent", "")
    shown = here("show", "spambase", BENCHKIT_DATA=str(tmp_path)).stdout
    assert f"file spambase/spambase.data: {tmp_path}" in shown
    assert "licence: CC BY 4.0" in shown


def test_get_from_a_folder_places_the_file_in_the_cache(here, tmp_path, spambase, monkeypatch):
    monkeypatch.delenv("BENCHKIT_DATA", raising=False)
    shutil.copy(spambase, tmp_path)
    for place in ("spambase.data", "already here"):
        found = here("data", "get", "spambase", "--from", str(tmp_path))
        assert found.returncode == 0, found.stderr
        assert place in found.stdout
    assert Path(os.environ["BENCHKIT_CACHE"], "data/spambase/spambase.data").exists()
