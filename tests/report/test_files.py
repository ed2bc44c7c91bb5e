"""Reports in files of their own, of one suite and of several, and never through what whoever made the run put there."""

import os
import re

import pytest

from benchkit import run
from benchkit.errors import JournalError
from benchkit.plugin.declarations import ReportFormat
from benchkit.plugin.manager import registry
from benchkit.report.analysis import Analysis
from benchkit.report.files import write, write_files
from tests.tiny_results import tiny_results


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


@pytest.fixture
def both():
    results = tiny_results(3, members=2)
    for name, each in zip(("one", "two"), results.members, strict=True):
        object.__setattr__(each, "suite", name)
    return results, [Analysis(each) for each in results.members]


def test_what_is_separate_becomes_a_folder_with_an_index(both, tmp_path):
    formats = registry().report_formats
    assert write(*both, formats["html"], tmp_path / "pages") is None
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == ["index.html", "one.html", "two.html"]
    assert '<a href="two.html">' in (tmp_path / "pages" / "index.html").read_text()


def test_what_is_joined_is_one_text(both):
    formats = registry().report_formats
    assert write(*both, formats["csv"], None).startswith("suite,dataset,")
    assert '"suite": "two"' in write(*both, formats["json"], None)
    assert write(*both, formats["markdown"], None).startswith("# Tiny runs")


def test_what_is_wrong_with_the_run_is_not_blamed_on_the_format(make_results, make_row):
    results = make_results([make_row(0, 0.1)])  # its folder holds no manifest
    with pytest.raises(JournalError, match="cannot read"):
        write(results, [Analysis(results)], registry().report_formats["html"], None)


def test_without_a_join_the_suites_follow_each_other(both, tmp_path):
    form = ReportFormat(name="mine", suffix=".x", render=lambda analysis: analysis.results.suite)
    assert write(*both, form, None) == "one\ntwo"
    assert write(*both, form, tmp_path / "a.x") is None
    assert (tmp_path / "a.x").read_text() == "one\ntwo\n"


def test_every_run_is_listed_with_its_state_and_report(tiny, tmp_path):
    out = tmp_path / "runs"
    for name in ("first", "second"):
        run({**tiny, "name": name, "title": f"The {name} <suite>"}, out=out, executor="inline")
        (out / "first" / "broken").mkdir(exist_ok=True)
        (out / "first" / "broken" / "manifest.json").write_text("{")
    page = (out / "index.html").read_text()
    links = re.findall(r'href="([^"#]+report\.html)"', page)
    assert {link.split("/")[0] for link in links} == {"first", "second"}
    assert all((out / link).is_file() for link in links)
    assert "<suite>" not in page
    assert "unreadable" in page
