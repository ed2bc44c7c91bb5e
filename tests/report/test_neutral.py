"""What a stranger wrote into a run is shown, and does nothing: terminals, spreadsheets, markdown, plots and files."""

import csv
import io
from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchkit.cli.interface.console import print_error
from benchkit.cli.interface.progress import PlainProgress
from benchkit.cli.interface.show_results import print_results
from benchkit.cli.report import _write
from benchkit.document.text import printable
from benchkit.plugin.declarations import ReportFormat
from benchkit.report.analysis import Analysis
from benchkit.report.documents import latex, markdown, run_document, short_document
from benchkit.report.exports import csv_text
from benchkit.report.plots import write_plots
from benchkit.suite.claims import Claim

ESCAPE = "\x1b]0;owned\x07\x1b[2J"
HTML = "<img src=x onerror=alert(1)>"
IMAGE = "![x](https://example.org/x.png)"
LABELS = ("d [/]", r"$\undefined$", "$x$ and $", ESCAPE, HTML, IMAGE, "=HYPERLINK(1)", "@SUM(1)", "l" * 300, "\u202eg")


@pytest.fixture(scope="module")
def analysis(make_row, make_curves, make_results):
    """Hostile labels of algorithms and datasets, and a hostile title, claim and error."""
    starts = {name: 0.1 + 0.1 * n for n, name in enumerate(LABELS)}
    rows = make_curves(starts, ("=1+1 [/b]", LABELS[1], "l" * 300), places=2, repetitions=3)
    bad = make_row(9, status="failed", algorithm="d [/]", dataset="one") | {"error": f"{ESCAPE}[/red]{HTML}{IMAGE}"}
    claim = Claim.model_validate({"claim": f"{ESCAPE}{HTML}[/]", "order": ["d [/]", "@SUM(1)"]})
    results = make_results([*rows, bad], expectations=[claim], title=f"[bold]{ESCAPE}{HTML}{IMAGE}")
    return Analysis(replace(results, told={}))  # there is no folder to read


def test_the_terminal_gets_no_control_character_and_markup_is_text(analysis, capsys, monkeypatch, make_row):
    monkeypatch.setenv("COLUMNS", "400")
    print_results(analysis, full=True)
    told = capsys.readouterr().out
    assert set("\x1b\x07\u202e").isdisjoint(told)
    assert "d [/]" in told
    assert r"$\undefined$" in told
    print_error(f"unknown {ESCAPE}")
    progress = PlainProgress()
    progress.started(SimpleNamespace(suite=ESCAPE, planned={}, reused=()), 1)
    progress.finished(make_row(status="failed", algorithm=ESCAPE, error=ESCAPE))
    progress.warn(ESCAPE)
    assert set("\x1b\x07").isdisjoint(capsys.readouterr().err)


def test_markdown_holds_no_html_and_no_image_latex_and_the_page_no_control_character(analysis):
    for text in (markdown(analysis), short_document(analysis).markdown()):
        assert "<img" not in text
        assert "![" not in text
        assert "\x1b" not in text
        assert "&lt;img" in text
    manifest = {"suite_as_run": {"description": ESCAPE}, "title": ESCAPE, "environment": {ESCAPE: ESCAPE}}
    for text in (latex(analysis), run_document(analysis, manifest).html()):
        assert set("\x1b\x07\u202e").isdisjoint(text)
        assert "\ufffd]0;owned" in text


def test_what_another_format_prints_steers_no_terminal(analysis, capsys):
    form = ReportFormat(name="mine", suffix=".x", render=lambda analysis: analysis.results.title)
    _write(analysis.results, [analysis], form, None)
    assert capsys.readouterr().out.startswith("[bold]\ufffd]0;owned\ufffd")


def test_csv_holds_no_formula(analysis):
    rows = list(csv.DictReader(io.StringIO(csv_text(analysis))))
    assert not [cell for row in rows for cell in row.values() if cell and cell[0] in "=@\t\r"]
    assert {"'=HYPERLINK(1)", "'@SUM(1)"} <= {row["algorithm"] for row in rows}
    assert {float(row["mean"]) for row in rows if row["mean"]}


def test_labels_are_drawn_as_they_are_and_their_files_fit(analysis, tmp_path):
    paths = write_plots(analysis, tmp_path)
    assert len(paths) == len(set(paths))
    drawn = "".join(path.read_text() for path in paths if path.suffix == ".svg")
    assert r"$\undefined$" in drawn
    assert "$x$ and $" in drawn


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\ud800", "\r"])
def test_what_steers_a_terminal_is_shown(character):
    assert printable(f"a{character}b") == "a\ufffdb"
