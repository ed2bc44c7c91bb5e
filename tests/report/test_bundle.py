"""A bundle opens anywhere, tells the same, runs again, and runs no code when opened."""

import io
import json
import tarfile

import pytest

import benchkit
from benchkit.errors import JournalError
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
SECRET = "uncommitted, and mine"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """A run and its bundle; the plugin file that both need is gone."""
    folder = tmp_path_factory.mktemp("bundle")
    plugin = folder / "my_plugin.py"
    plugin.write_text(PLUGIN)
    suite = {
        "name": "tiny",
        "datasets": ["breast"],
        "split": {"repetitions": 2, "train": 60, "test": 60},
        "algorithms": ["ridge", "constant"],
        "metrics": ["error", "hits"],
    }
    results = benchkit.run(suite, out=folder / "runs", plugins=[plugin], executor="inline", tracking=False)
    (results.folder / "uncommitted.diff").write_text(SECRET)
    write_bundle(load(results.folder), folder / "b.tar.gz")
    plugin.unlink()
    return results, folder / "b.tar.gz", plugin


def test_it_tells_what_the_run_told_without_running_its_plugins(bundle):
    results, path, _ = bundle
    with opened(path) as folder:
        again = load(folder)
        assert again.greater_is_better == {"error": False, "hits": True}
        assert json_text(Analysis(again)) == json_text(Analysis(results))
        assert (folder / "report.html").exists()
        assert (folder.parents[2] / "environment.json").exists()
    assert not folder.exists()


def test_a_file_of_a_plugins_name_where_one_works_is_not_executed(bundle, tmp_path, call_benchkit):
    _, path, plugin = bundle
    (tmp_path / "plugins").mkdir()
    for trap in (tmp_path / plugin.name, tmp_path / "plugins" / plugin.name):
        trap.write_text("from pathlib import Path\nPath(__file__).with_suffix('.executed').touch()\n")
    for arguments in (["report", path], ["compare", path, path], ["report", path, "--trust"]):
        called = call_benchkit(tmp_path, *map(str, arguments))
        assert called.returncode == 0, called.stderr
    assert not list(tmp_path.rglob("*.executed"))


def test_unpacked_it_is_planned_and_reports_on_the_command_line(bundle, tmp_path, call_benchkit):
    _, path, _ = bundle
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    (home,) = tmp_path.iterdir()
    assert "4 trials, 4 reused" in call_benchkit(home, "plan", "suite.yaml").stdout
    assert len(json.loads(call_benchkit(home, "report", "runs/tiny", "--format", "json").stdout)) == 4
    assert (home / "plugins" / "my_plugin.py").read_text() == PLUGIN


def test_what_cannot_be_bundled_or_is_no_bundle_is_said(bundle, tmp_path):
    results, _, _ = bundle
    (tmp_path / "text").write_text("no archive")
    with tarfile.open(tmp_path / "other.tar", "w") as archive:
        archive.add(tmp_path / "text", "x.py")
    for name, said in (("text", "not a bundle"), ("other.tar", "it holds 0 runs")):
        with pytest.raises(JournalError, match=said), opened(tmp_path / name):
            pass
    with pytest.raises(JournalError, match="cannot write"):
        write_bundle(load(results.folder), tmp_path / "no" / "such" / "b.tar.gz")
    with pytest.raises(JournalError, match="this plugin file of the run is gone"):
        write_bundle(load(results.folder), tmp_path / "b.tar.gz")


def test_it_tells_neither_where_nor_how_it_was_made(bundle):
    results, path, plugin = bundle
    with tarfile.open(path) as archive:
        files = [member for member in archive if member.isfile() and not member.name.endswith(".parquet")]
        text = b"\n".join(archive.extractfile(member).read() for member in files).decode(errors="replace")
    manifest = results.manifest
    command = f'"command": "{manifest["command"]}"'
    for private in (command, manifest["folder"], str(plugin.parent), SECRET, manifest["seal"]):
        assert private not in text
    assert f'"{manifest["environment"]["host"]}"' not in text


def test_who_trusts_it_loads_its_plugins_from_inside(bundle):
    _, path, _ = bundle
    with opened(path) as folder:
        (inside,) = trusted_plugin_files(folder, load(folder, trust=True).manifest)
        assert inside == str((folder.parents[2] / "plugins" / "my_plugin.py").resolve())


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
