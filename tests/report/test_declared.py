"""Reports of several suites: joined, one after the other, or a file for each."""

import pytest

from benchkit.journal import JournalError
from benchkit.plugin.declarations import ReportFormat
from benchkit.plugin.manager import registry
from benchkit.report.analysis import Analysis
from benchkit.report.files import write
from benchkit.testing.tiny import tiny_results


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
    assert write(*both, formats["parquet"], tmp_path / "rows") is None
    assert sorted(path.name for path in (tmp_path / "rows").iterdir()) == ["one.parquet", "two.parquet"]


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
