"""A report is written into files of its own: never through what whoever made the run put in their places."""

import json
import os
from pathlib import Path

import pytest

from benchkit import run
from benchkit.cli.interface.show_results import print_run
from benchkit.journal import JournalError
from benchkit.report import files
from benchkit.report.analysis import Analysis
from benchkit.report.files import write_files


@pytest.mark.parametrize("kind", ["device", "pipe", "link", "other"])
@pytest.mark.parametrize("name", ["plots", "report.html", "plots/curve.svg"])
def test_a_report_is_written_through_no_link(tmp_path, name, kind):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    path = tmp_path / "run" / name
    path.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "other":
        path.write_text("") if name == "plots" else path.mkdir()
    else:
        path.symlink_to("/dev/full" if kind == "device" else elsewhere)
    with pytest.raises(JournalError, match=f"{name} is no f.* of a report but"):
        write_files(None, tmp_path / "run", plots=True)
    assert elsewhere.read_text() == "mine"


def test_a_run_with_nothing_to_do_has_the_report_of_the_run_before(tiny, tmp_path, monkeypatch, capsys):
    def printed():
        results = run(tiny, out=tmp_path / "runs", executor="inline", on_finished=analyses.append)
        print_run(analyses[-1], full=False, tracked=False)
        lines = capsys.readouterr().out.splitlines()
        return results, [
            line for line in lines if not line.startswith(("files in", "report:")) and "reused" not in line
        ]

    analyses = []
    first, said = printed()
    monkeypatch.setattr(Analysis, "comparisons", property(lambda _: pytest.fail("computed again")))
    second, again = printed()
    assert (second.ran, again) == (0, said)
    assert second.folder != first.folder
    for name in ("report.html", "tables.md", "points.csv", "records.parquet", "summary.md"):
        assert (second.folder / name).read_bytes() == (first.folder / name).read_bytes()


SECTION = """
from pathlib import Path
from benchkit import ReportSection, ReportTable, hookimpl

@hookimpl
def benchkit_report_sections():
    return [ReportSection(name="mine", title="Mine", compute=section, summary="Says something")]

def section(results):
    return ReportTable(columns=["a"], rows=[[Path(__file__).with_name("said.txt").read_text()]])
"""


def test_a_plugins_section_is_computed_in_every_run(tiny, tmp_path, write_plugin):
    plugin = write_plugin(SECTION)
    for words in ("the first", "the second"):
        Path(plugin).with_name("said.txt").write_text(words)
        folder = run(tiny, out=tmp_path / "runs", executor="inline", plugins=[plugin]).folder
        assert words in (folder / "tables.md").read_text()


@pytest.mark.parametrize("change", ["records", "code"])
def test_a_report_is_made_anew_where_anything_of_it_has_changed(change, tiny, tmp_path, monkeypatch):
    first = run(tiny, out=tmp_path / "runs", executor="inline")
    (first.folder / "tables.md").write_text("of the run before")
    if change == "records":
        tiny["split"]["repetitions"] += 1
    else:
        code = tmp_path / "report" / "new.py"
        code.parent.mkdir()
        code.touch()
        monkeypatch.setattr(files, "__file__", str(tmp_path / "report" / "files.py"))
    second = run(tiny, out=tmp_path / "runs", executor="inline")
    stamps = [json.loads((each.folder / "overview.json").read_text())["stamp"] for each in (first, second)]
    assert stamps[0] != stamps[1]
    assert (second.folder / "tables.md").read_text() != "of the run before"
