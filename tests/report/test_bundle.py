"""A bundle opens anywhere, tells the same, runs again, and runs no code when opened."""

import io
import json
import subprocess
import sys
import tarfile

import pytest
from typer.testing import CliRunner

import benchkit
from benchkit.cli.main import app
from benchkit.journal import JournalError
from benchkit.journal.manifest import trusted_plugin_files
from benchkit.report.analysis import Analysis
from benchkit.report.bundle import opened, write_bundle
from benchkit.report.exports import json_text
from benchkit.report.stored_results import load

PLUGIN = """
from benchkit import Algorithm, Metric, hookimpl

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="ridge", make="sklearn.linear_model:RidgeClassifier")]

@hookimpl
def benchkit_metrics():
    return [Metric(name="hits", compute=lambda e: 1.0, greater_is_better=True)]
"""


@pytest.fixture
def bundle(tiny, write_suite, write_plugin, tmp_path):
    plugin = write_plugin(PLUGIN)
    tiny |= {"algorithms": ["ridge", "constant"], "metrics": ["error", "hits"], "plugins": [str(plugin)]}
    results = benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False)
    path = tmp_path / "b.tar.gz"
    write_bundle(load(results.folder), path)
    return results, path, plugin


def test_it_tells_what_the_run_told_without_running_its_plugins(bundle):
    results, path, plugin = bundle
    plugin.unlink()
    with opened(path) as folder:
        again = load(folder)
        assert again.greater_is_better == {"error": False, "hits": True}
        assert json_text(Analysis(again)) == json_text(Analysis(results))
        assert (folder / "report.html").exists()
        assert (folder.parents[2] / "environment.json").exists()
    assert not folder.exists()


def test_a_file_of_a_plugins_name_where_one_works_is_not_executed(bundle, tmp_path, monkeypatch):
    _, path, plugin = bundle
    plugin.unlink()
    here = tmp_path / "here"
    (here / "plugins").mkdir(parents=True)
    for trap in (here / plugin.name, here / "plugins" / plugin.name):
        trap.write_text("from pathlib import Path\nPath(__file__).with_suffix('.executed').touch()\n")
    monkeypatch.chdir(here)
    for arguments in (["report", path], ["compare", path, path], ["report", path, "--trust"]):
        found = CliRunner().invoke(app, list(map(str, arguments)))
        assert found.exit_code == 0, found.output
    assert not list(here.rglob("*.executed"))


def test_unpacked_it_is_planned_and_reports_on_the_command_line(bundle, tmp_path):
    _, path, _ = bundle
    there = tmp_path / "elsewhere"
    there.mkdir()
    with tarfile.open(path) as archive:
        archive.extractall(there, filter="data")
    (home,) = there.iterdir()
    main = [sys.executable, "-c", "from benchkit.cli.main import main; main()"]
    plan = subprocess.run([*main, "plan", "suite.yaml"], cwd=home, capture_output=True, text=True, check=True)
    assert "8 trials, 8 reused" in plan.stdout
    report = subprocess.run(
        [*main, "report", "runs/tiny", "--format", "json"], cwd=home, capture_output=True, text=True, check=True
    )
    assert len(json.loads(report.stdout)) == 8
    assert (home / "plugins" / "my_plugin.py").read_text() == PLUGIN


def test_what_is_no_bundle_is_said(bundle, tmp_path):
    results, path, plugin = bundle
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(JournalError, match="not a bundle"), opened(tmp_path / "text"):
        pass
    with tarfile.open(tmp_path / "other.tar", "w") as archive:
        archive.add(plugin, "x.py")
    with pytest.raises(JournalError, match="it holds 0 runs"), opened(tmp_path / "other.tar"):
        pass
    with pytest.raises(JournalError, match="cannot write"):
        write_bundle(load(results.folder), tmp_path / "no" / "such" / "b.tar.gz")
    plugin.unlink()
    with pytest.raises(JournalError, match="this plugin file of the run is gone"):
        write_bundle(load(results.folder), path)


def test_it_tells_neither_where_nor_how_it_was_made(bundle, tmp_path):
    results, path, _ = bundle
    secret = "uncommitted, and mine"
    (results.folder / "uncommitted.diff").write_text(secret)
    write_bundle(load(results.folder), path)
    with tarfile.open(path) as archive:
        files = [member for member in archive if member.isfile() and not member.name.endswith(".parquet")]
        text = b"\n".join(archive.extractfile(member).read() for member in files).decode(errors="replace")
    manifest = results.manifest
    command = f'"command": "{manifest["command"]}"'
    for private in (command, manifest["folder"], manifest["suite_path"], str(tmp_path), secret):
        assert private not in text
    assert f'"{manifest["environment"]["host"]}"' not in text
    assert manifest["seal"] not in text


def test_who_trusts_it_loads_its_plugins_from_inside(bundle):
    _, path, plugin = bundle
    plugin.unlink()
    with opened(path) as folder:
        (inside,) = trusted_plugin_files(folder, load(folder, trust=True).manifest)
        assert inside == str((folder.parents[2] / "plugins" / "my_plugin.py").resolve())


def test_a_run_of_this_process_is_bundled_as_one_that_was_read(bundle, tmp_path):
    results, path, _ = bundle
    write_bundle(results, tmp_path / "live.tar.gz")
    with opened(path) as read, opened(tmp_path / "live.tar.gz") as live:
        assert load(live).records == load(read).records


def test_what_is_wrong_in_a_bundle_is_told_of_the_bundle(tmp_path):
    run = tmp_path / "b" / "runs" / "s" / "1"
    run.mkdir(parents=True)
    (run / "manifest.json").write_text("no manifest")
    path = tmp_path / "b.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(tmp_path / "b", "b")
    with pytest.raises(JournalError) as error, opened(path) as folder:
        load(folder)
    assert str(error.value).startswith(f"{path}: b/runs/s/1/manifest.json: not a manifest")


def entry(name, size=0, kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, link
    return info


@pytest.mark.parametrize(
    ("info", "why"),
    [
        (entry("a/link", kind=tarfile.SYMTYPE, link="/etc/passwd"), "neither a file nor a folder"),
        (entry("a/hard", kind=tarfile.LNKTYPE, link="a/x"), "neither a file nor a folder"),
        (entry("a/pipe", kind=tarfile.FIFOTYPE), "neither a file nor a folder"),
        (entry("../../out-of-it", 3), "outside"),
    ],
)
def test_an_archive_that_a_stranger_made_writes_nowhere_else(tmp_path, info, why):
    path = tmp_path / "b.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    with pytest.raises(JournalError, match=why), opened(path):
        pass


@pytest.mark.parametrize("content", [b"", b"text", b"\x1f\x8b", b"\x1f\x8b\x08\x00" + bytes(60)])
def test_what_is_no_archive_is_said_in_a_line(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(JournalError, match="not a bundle"), opened(tmp_path / "x"):
        pass
