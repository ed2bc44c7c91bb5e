"""A document is told once; a plugin's own is shown in every form by the public names."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

import benchkit
import benchkit.document
from benchkit.document import (
    Bars,
    Chart,
    Code,
    Curve,
    Document,
    Facts,
    Fold,
    Gallery,
    Heading,
    Mark,
    Note,
    Table,
    Text,
    Tiles,
)
from benchkit.report.analysis import Analysis
from benchkit.report.documents import run_document
from tests.conftest import PATIENCE
from tests.tiny_results import tiny_results

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TABLE = benchkit.ReportTable(
    title="Means",
    columns=["method", "error"],
    rows=[["lp", benchkit.ReportCell("0.1", 0.1, "best")], ["svm <b>", 0.3]],
    align=("left", "right"),
    note="a note",
)
CURVES = [
    Curve("lp", [Mark(1, 0.1, 0.05, 0.15), Mark(10, 0.2, 0.1, 0.3, hint="20 % of <b>")]),
    Curve("svm <b>", [Mark(1, 0.3), Mark(10, None), Mark(100, 0.5)], 1),
]
CHART = Chart("error by size", "rows", "error", CURVES)
BLOCKS = [
    Text("Use lp.", strong=True),
    Heading("In numbers"),
    Tiles([("trials", "4", "good")]),
    Table(TABLE, "means", "of two methods"),
    Fold("More", [Note("be careful", warns=True), CHART]),
    Heading("Tests", details=True),
    Text("p = 0.3"),
    Heading("Machine", page=True),
    Facts({"cpu": {"cores": 2}}),
    Code("a: 1"),
    Bars([("x1", 0.2, 0.1, 0.3, "bad", "20 %")]),
]
DOCUMENT = Document("A <title>", BLOCKS, "two methods", "the tests", "mine")


def test_every_form_has_the_sentences_and_tables_in_order():
    shown = [DOCUMENT.text(), DOCUMENT.markdown(), DOCUMENT.latex(), DOCUMENT.html()]
    for form in shown:
        assert form.index("Use lp.") < form.index("be careful")
        assert "p = 0.3" in form
        assert "lp" in form.partition("Use lp.")[2]
    for form in shown[:3]:
        assert "cores" not in form
    assert "<dt>cores</dt><dd>2</dd>" in shown[3]
    assert "<b>20 %</b>" not in shown[3]


def test_details_are_left_out_of_text_and_papers_where_they_are_not_asked_for():
    for form in (DOCUMENT.text, DOCUMENT.markdown, DOCUMENT.latex):
        assert "p = 0.3" not in form(details=False)
        assert "Use lp." in form(details=False)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_a_page_draws_a_chart_where_its_numbers_are(tmp_path):
    (tmp_path / "page.html").write_text(DOCUMENT.html())
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--virtual-time-budget=3000", "--dump-dom", (tmp_path / "page.html").as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    (drawing,) = re.findall(r"<svg class=\"chart\".*?</svg>", shown, re.DOTALL)
    assert drawing.count('class="found"') == 2
    first, second = re.findall(r' d="M([^"]*)"', drawing)
    # The frame is 58 to 508 wide, from 1 to 100.
    assert [float(number) for number in re.findall(r"[0-9.]+", first)][::2] == [58.0, round(58 + 9 / 99 * 450, 1)]
    assert "L508.0 " in second
    assert "<title>20 % of &lt;b&gt;</title>" in drawing
    assert "svm &lt;b&gt;</span>" in shown


def test_a_gallery_keeps_its_data_from_ending_the_script():
    gallery = Gallery([Chart("t", "x", "y", [Curve("</script>", [Mark(0, 1.0)])], [(0.0, "0")], panel="p")])
    page = Document("t", [gallery]).html()
    assert page.count("</script>") == 2


def test_a_plugin_adds_a_section_with_a_chart():
    def compute(results):
        return Document("", [Text(f"{len(results.rows)} trials."), CHART])

    section = benchkit.ReportSection(name="mine", compute=compute, title="Mine", summary="A chart")
    results = replace(tiny_results(3), report_sections=[section])
    page = run_document(Analysis(results))
    assert f"{len(results.rows)} trials." in page.markdown()
    mine = page.html().partition('<section id="mine">')[2]
    assert 'class="chart"' in mine
    assert "error by size" in mine
