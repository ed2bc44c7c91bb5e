"""``benchkit data`` as a user meets it."""

import json
import os
import shutil
from pathlib import Path

import pytest

from benchkit.data.files import locate_file


@pytest.fixture
def data(here):
    def run(*arguments, **environment):
        return here("data", *arguments, **{"COLUMNS": "120", **environment})

    return run


@pytest.fixture
def spambase():
    """The real file, where a data folder has it."""
    found = locate_file("spambase/spambase.data")
    if found is None:
        pytest.skip("spambase.data is not here")
    return found


def test_list_says_where_files_are(data, tmp_path):
    (tmp_path / "spambase").mkdir()
    (tmp_path / "spambase" / "spambase.data").write_text("1,2\n")
    found = data("list", "spambase", "mnist", BENCHKIT_DATA=str(tmp_path))
    assert found.returncode == 0, found.stderr
    assert "spambase.data" in found.stdout
    assert "train-images-idx3-ubyte.gz" in found.stdout
    assert "no" in found.stdout


def test_list_and_show_say_whether_files_are_here(here, tmp_path):
    (tmp_path / "spambase").mkdir()
    (tmp_path / "spambase" / "spambase.data").write_text("1,2\n")
    listed = json.loads(here("list", "datasets", "--json", BENCHKIT_DATA=str(tmp_path)).stdout)["rows"]
    files = {entry["name"]: entry["files"] for entry in listed}
    assert (files["spambase"], files["mnist"], files["breast"]) == ("here", "absent", "")
    shown = here("show", "spambase", BENCHKIT_DATA=str(tmp_path)).stdout
    assert f"file spambase/spambase.data: {tmp_path}" in shown
    assert "licence: CC BY 4.0" in shown


def test_verify_tells_wrong_absent_and_right(data, tmp_path, spambase):
    absent = data("verify", "spambase", BENCHKIT_DATA=str(tmp_path))
    assert absent.returncode == 1
    assert "absent" in absent.stdout
    folder = tmp_path / "spambase"
    folder.mkdir()
    text = spambase.read_text()
    (folder / "spambase.data").write_text(text.replace("0.64", "0.65", 1))
    wrong = data("verify", "spambase", BENCHKIT_DATA=str(tmp_path))
    assert wrong.returncode == 1
    assert "other data than expected" in wrong.stdout
    (folder / "spambase.data").write_text(text)
    assert data("verify", "spambase", BENCHKIT_DATA=str(tmp_path)).returncode == 0
    assert data("verify", BENCHKIT_DATA=str(tmp_path)).returncode == 0


def test_get_from_a_folder_gives_the_same_run(data, tmp_path, spambase, tiny, write_suite, monkeypatch):
    import benchkit

    tiny |= {"datasets": ["spambase"], "algorithms": ["constant"]}
    suite = write_suite(tiny)
    with_folder = benchkit.run(suite, out=tmp_path / "a", executor="inline", tracking=False)
    monkeypatch.delenv("BENCHKIT_DATA", raising=False)
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(spambase, source)
    found = data("get", "spambase", "--from", str(source))
    assert found.returncode == 0, found.stderr
    assert Path(os.environ["BENCHKIT_CACHE"], "data/spambase/spambase.data").exists()
    fetched = benchkit.run(suite, out=tmp_path / "b", executor="inline", tracking=False)
    assert [r["trial"] for r in fetched.records] == [r["trial"] for r in with_folder.records]
    assert [r["metrics"] for r in fetched.records] == [r["metrics"] for r in with_folder.records]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["get", "spambas"], "did you mean 'spambase'?"),
        (["get", "breast"], "breast needs no file"),
        (["get", "spambase", "--from", "/nowhere"], "/nowhere holds neither spambase/spambase.data nor spambase.data"),
    ],
)
def test_mistakes_end_in_one_line(data, arguments, expected):
    env = {"BENCHKIT_DATA": "/nowhere/at/all"}
    found = data(*arguments, **env)
    assert found.returncode == 2
    assert expected in found.stderr
    assert "Traceback" not in found.stderr
