"""A run that another made, or that was made elsewhere, is only data: nothing that it brings is executed."""

import hashlib
import json
import os
import shutil
import stat

import pytest

from benchkit.data.files import cache_folder
from benchkit.errors import JournalError
from benchkit.journal.manifest import is_own, read_manifest, seal, trusted_plugin_files
from benchkit.plugin.declarations import Tracker
from benchkit.plugin.manager import Registry
from benchkit.report.stored_results import load
from benchkit.session.past import merge, plugins_of_run, sync, verify

EVIL = """
from pathlib import Path
from benchkit import ReportSection, ReportTable, hookimpl

Path(__file__).with_name("executed").touch()

@hookimpl
def benchkit_report_sections():
    return [ReportSection(name="mine", compute=lambda results: ReportTable(columns=("a",), rows=(("b",),)))]
"""
SUITE = {"name": "s", "datasets": ["breast"], "algorithms": ["constant"]}


@pytest.fixture
def write_run(tmp_path):
    """Write a run of one trial by hand, as a stranger could."""

    def write(folder="runs", **manifest):
        home = tmp_path / folder / "s" / "20260101-000000-000000"
        home.mkdir(parents=True)
        row = {"trial": "t1", "cell": "c", "status": "ok", "dataset": "breast", "algorithm": "constant"}
        row |= {"repetition": 0, "metrics": {"error": 0.5}, "suite": "s", "profile": "default"}
        whole = {"suite": "s", "title": "", "run": home.name, "suite_as_run": SUITE, "trials": ["t1"], "positions": [0]}
        (home / "manifest.json").write_text(json.dumps(whole | {"greater_is_better": {"error": False}} | manifest))
        (home.parent / "trials.jsonl").write_text(json.dumps(row) + "\n")
        return home

    return write


@pytest.fixture
def evil(write_run, write_plugin, tmp_path, monkeypatch):
    """A run whose manifest names a plugin file, which lies where the reader works."""
    monkeypatch.chdir(tmp_path)
    plugin = write_plugin(EVIL, "evil.py")
    digest = hashlib.sha256(plugin.read_bytes()).hexdigest()
    path, suite = str(plugin), {**SUITE, "plugins": ["evil.py"]}
    return write_run(plugins=[path], plugin_digests={path: digest}, suite_as_run=suite), plugin


def test_reading_executes_no_plugin_file_of_a_run(evil, tmp_path, here):
    folder, plugin = evil
    assert len(load(folder).records) == 1
    merge([folder], out=tmp_path / "merged")
    known, analyses = Registry(), []
    ear = Tracker(name="ear", make=dict, send=lambda analyse, **more: analyses.append(analyse()) or ("read", "here"))
    known.trackers["ear"] = ear
    sync(folder, pytest.fail, "ear", known)
    assert len(analyses) == 1
    assert here("report", str(folder)).returncode == 0
    assert not (tmp_path / "executed").exists()
    assert "mine" in [title for title, _ in load(folder, trust=True).sections()]
    assert (tmp_path / "executed").exists()
    plugin.write_text(EVIL + "# changed\n")
    with pytest.raises(JournalError, match=r"evil\.py: not the plugin file that the run was made with"):
        load(folder, trust=True)
    with pytest.raises(JournalError, match="not the plugin file"):
        trusted_plugin_files(folder, {**read_manifest(folder), "plugin_digests": {}})
    plugin.unlink()
    with pytest.raises(JournalError, match=r"evil\.py: cannot read this plugin file"):
        load(folder, trust=True)


def test_what_unpickles_or_runs_asks_for_trust(evil, tmp_path):
    folder, _ = evil
    (folder.parent / "models").mkdir()
    (folder.parent / "models" / "t1.joblib").write_bytes(b"cbuiltins\nopen\n(Vexecuted\nVw\ntR.")  # makes a file
    (folder / "suite.yaml").write_text(json.dumps({**SUITE, "plugins": ["evil.py"]}))
    for command in (
        lambda: list(verify(folder)),
        lambda: plugins_of_run(folder, False, "it runs a part of the trials"),
        lambda: load(folder).load_model("t1"),
    ):
        with pytest.raises(JournalError, match="can execute anything"):
            command()
    assert not (tmp_path / "executed").exists()


def test_trust_does_not_extend_to_a_plugin_file_that_the_manifest_does_not_name(write_run, write_plugin, tmp_path):
    folder = write_run()
    write_plugin(EVIL, "evil.py")
    (folder / "suite.yaml").write_text(json.dumps({**SUITE, "plugins": [f"{tmp_path}/evil.py"]}))
    with pytest.raises(JournalError, match="does not name the plugin file"):
        plugins_of_run(folder, True, "it runs a part of the trials")
    assert not (tmp_path / "executed").exists()


def test_a_seal_is_of_this_user_this_place_and_this_content_by_a_key_that_no_other_knows(
    write_run, tmp_path, monkeypatch
):
    folder = write_run()
    manifest = read_manifest(folder)
    assert not is_own(folder, manifest)
    sealed = json.loads(json.dumps({**manifest, "seal": seal(folder, manifest)}))
    assert is_own(folder, sealed)
    assert not is_own(folder, {**sealed, "plugins": ["evil.py"]})
    shutil.copytree(tmp_path / "runs", tmp_path / "copied")
    assert not is_own(tmp_path / "copied" / "s" / folder.name, sealed)
    key = cache_folder() / "seal.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(0o640)
    assert not is_own(folder, sealed)
    key.chmod(0o600)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: os.stat(folder).st_uid + 1)
        assert not is_own(folder, sealed)
    assert is_own(folder, sealed)
    monkeypatch.setenv("BENCHKIT_CACHE", str(tmp_path / "another-user"))
    assert not is_own(folder, sealed)
    (tmp_path / "file").touch()
    monkeypatch.setenv("BENCHKIT_CACHE", str(tmp_path / "file"))  # no cache
    assert not is_own(folder, {"seal": None})


def test_a_manifest_names_no_folder_outside_the_output_folder(write_run, tmp_path):
    for place, name in enumerate(["../../../x", "/tmp/x", "", "..", 3]):
        with pytest.raises(JournalError, match="pattern|valid string"):
            merge([write_run(f"runs{place}", suite=name)], out=tmp_path / "a" / "b" / "c" / "out")
    assert not (tmp_path / "x").exists()
    home = tmp_path / "runs" / "both" / "1"
    home.mkdir(parents=True)
    for change in ({"collection": "../x"}, {"runs": {"../s": "1"}}, {"runs": {"s": "../../1"}}):
        (home / "collection.json").write_text(json.dumps({"collection": "both", "title": "", "runs": {}} | change))
        with pytest.raises(JournalError, match="pattern"):
            load(home)
