"""The page is one file that asks for nothing, and works in a browser; figures show what they should."""

import html
import json
import re
from html.parser import HTMLParser

import pytest

from benchkit.document import Chart, Curve, Document, Mark, Text
from benchkit.document.charts import look
from benchkit.plugin.declarations import ReportSection, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.documents import run_document
from benchkit.report.plots import critical_difference_diagram, figure_of, write_plots
from benchkit.statistics.ranking import rank_algorithms
from benchkit.suite.claims import Claim

MANIFEST = {"run": "r1", "suite": "s", "title": "S", "started": "2026-01-01T00:00:00", "trials": []}
MANIFEST["environment"] = {"python": "3.12", "versions": {"numpy": "2"}, "something new": ["a", "b"]}
MANIFEST["suite_as_run"] = {"name": "s", "source": "a paper", "description": "</script><b>bold</b>"}
VOID = {"meta", "link", "input", "br", "img", "wbr"}


class Checker(HTMLParser):
    """Collects addresses and sees that elements are closed in order."""

    def __init__(self):
        super().__init__()
        self.addresses, self.stack, self.ids = [], [], []

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.addresses += [known[name] for name in ("href", "src", "action", "data") if name in known]
        self.ids += [known["id"]] if "id" in known else []
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag


def page(analysis):
    return run_document(analysis, MANIFEST).html()


@pytest.fixture(scope="module")
def analysis(make_row, make_curves, make_results):
    rows = make_curves({"good": 0.0, "<bad>": 0.2}, ("one", "two", "three"), repetitions=8)
    rows += [make_row(r, None, "timeout", algorithm="slow", dataset="one", axis_value=1.0) for r in range(2)]
    claim = Claim.model_validate({"claim": "good & cheap", "source": "x", "order": ["good", "<bad>"], "reason": "luck"})
    told = ReportSection(name="told", compute=lambda results: ReportTable(columns=["a"], rows=[["<b>"]]))
    chart = Chart("error by size", "rows", "error", [Curve("lp", [Mark(1, 0.1), Mark(10, 0.2)])])
    counted = Text(f"{len(rows)} trials.")
    drawn = ReportSection(name="drawn", compute=lambda results: Document("", [counted, chart]))
    shown = {"expectations": [claim], "planned": len(rows), "report_sections": [told, drawn]}
    return Analysis(make_results(rows, title="A <title>", **shown))


@pytest.fixture(scope="module")
def text(analysis):
    return page(analysis)


def test_well_formed_and_self_contained(text):
    checker = Checker()
    checker.feed(text)
    assert not [tag for tag in checker.stack if tag != "html"]
    assert len(set(checker.ids)) == len(checker.ids)
    for address in checker.addresses:
        assert address == "data:," or address.removeprefix("#") in checker.ids, address
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert "default-src 'none'" in text
    assert "@import" not in text
    assert "url(" not in text


def test_a_plugin_adds_a_section_with_a_chart(analysis, text):
    assert f"{len(analysis.results.rows)} trials." in run_document(analysis, MANIFEST).markdown()
    section = text.partition('<section id="drawn">')[2]
    assert 'class="chart"' in section
    assert "error by size" in section


def test_what_failed_is_told_with_its_adversary_and_damaged_records_are_too(make_row, make_results):
    rows = [make_row(0, 0.1), make_row(1, None, "failed", algorithm="lost", adversary="greedy")]
    told = [page(Analysis(make_results(each, damaged=["line 3 is no record"]))) for each in (rows, rows[:1])]
    (section,) = re.findall(r"<h2>What failed or was skipped</h2>(.*?)</section>", told[0], re.DOTALL)
    assert "<td>lost</td><td>d under greedy</td>" in section
    assert "line 3 is no record." in section
    assert "line 3 is no record." in told[1]


def test_names_are_escaped_and_the_curves_hold_the_means(text, analysis):
    assert "<bad>" not in text
    assert "&lt;bad&gt;" in text
    assert "<b>bold</b>" not in text
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert json.loads(data)["algorithms"] == ["good", "<bad>", "slow"]
    panel = json.loads(data)["panels"][0]
    point = next(p for p in analysis.points if p.algorithm == "good" and p.axis_value == 2.0)
    place, mean, stderr, low, high, n, total, mark = panel["curves"]["good"][2]
    assert (place, mean, n, total, mark) == (2.0, pytest.approx(point.mean, rel=1e-5), 8, 8, "")
    assert (low, high) == pytest.approx(point.interval(), rel=1e-5)
    assert stderr == pytest.approx(point.stderr, rel=1e-5)
    assert panel["curves"]["<bad>"][2][-1] == "*"


def test_in_a_browser(text, browsed):
    # What the script leaves behind is read back from the page: errors, and the result of sorting by a column.
    probe = """<script>
      const button = document.querySelector("table.means thead th:nth-child(2) button");
      button.click(); button.click();
      document.body.dataset.first = document.querySelector("table.means tbody th").textContent;
      document.querySelector("#legend button").click();
      document.body.dataset.drawn = document.querySelectorAll("#plot svg g").length;
      const [first, second] = ["first", "second"].map(id => document.getElementById(id));
      [first.value, second.value] = ["<bad>", "good"];
      second.dispatchEvent(new Event("change"));
      document.body.dataset.apart = document.getElementById("apart").textContent;
      document.body.dataset.requests = performance.getEntriesByType("resource").length;
    </script></body>"""
    watch = '<head><script>window.addEventListener("error", e => document.documentElement.dataset.error = e.message);'
    found = browsed(text.replace("<head>", f"{watch}</script>", 1).replace("</body>", probe))
    body = re.search(r"<body[^>]*>", found)[0]
    assert "data-error" not in found.split("<head>")[0]
    assert html.unescape(re.search(r'data-first="([^"]*)"', body)[1]) == "<bad>"
    assert 'data-drawn="1"' in body  # of two curves with values, one was switched off
    apart = html.unescape(re.search(r'data-apart="([^"]*)"', body)[1])
    assert apart.startswith("<bad> - good, mean difference with its 95 % interval")
    assert re.search(r": \d\.\d+ \[\d\.\d+, \d\.\d+\]", apart)  # of the two chosen, with its interval
    assert 'data-requests="0"' in body
    assert "<svg" in found


def test_a_run_gives_its_figures_as_svg_and_png(analysis, tmp_path):
    names = {path.name for path in write_plots(analysis, tmp_path, ("svg",))}
    assert {"curve-error-one-a.svg", "grid-error-datasets-a.svg", "ranks-error-a.svg"} <= names
    svg = (tmp_path / "curve-error-one-a.svg").read_text()
    assert "slow (2 trials missing)" in svg
    again = tmp_path / "again"
    written = {path.name for path in write_plots(analysis, again, curves_alone=True)}
    assert {f"curve-error-{name}-a.{form}" for name in ("one", "two", "three") for form in ("svg", "png")} == written
    assert (again / "curve-error-one-a.svg").read_text() == svg
    assert (again / "curve-error-one-a.png").read_bytes().startswith(b"\x89PNG")


def test_curves_hold_the_means_and_the_bands_their_intervals(analysis):
    grid = analysis.grids[0]
    (axes,) = figure_of([grid], analysis).axes
    line = next(line for line in axes.get_lines() if line.get_label() == "good")
    points = [grid.rows["good"][str(value)] for value in grid.columns]
    assert list(line.get_ydata()) == [point.mean for point in points]
    low, high = points[0].interval()
    vertices = axes.collections[0].get_paths()[0].vertices
    at_zero = sorted({round(y, 9) for x, y in vertices if x == 0})
    assert (at_zero[0], at_zero[-1]) == pytest.approx((low, high))


def test_no_two_curves_look_alike_and_the_critical_difference_diagram_names_everyone():
    looks = [look(number) for number in range(70)]
    assert len({str(each) for each in looks}) == 70
    # Also without colour, for as many as a plot can bear.
    for part in ("color", "marker", "linestyle"):
        assert len({str(each[part]) for each in looks[:16]}) == 16, part
    scores = {str(n): {"a": 0.1, "b": 0.2, "c": 0.2 + n} for n in range(5)}
    drawn = critical_difference_diagram(rank_algorithms(scores, greater_is_better=False))
    shown = {text.get_text() for text in drawn.axes[0].texts}
    assert {"a (1.00)", "b (2.10)", "c (2.90)"} <= shown


def test_pdf_figures_come_with_latex_that_includes_them(analysis, tmp_path):
    written = write_plots(analysis, tmp_path, ("pdf",))
    pdfs = [path for path in written if path.suffix == ".pdf"]
    assert len(pdfs) == len(written) - 1 > 3
    assert all(path.read_bytes().startswith(b"%PDF") for path in pdfs)
    text = (tmp_path / "figures.tex").read_text()
    assert all(rf"\includegraphics{{{path.name}}}" in text for path in pdfs)
    assert all(rf"\label{{fig:{path.stem}}}" in text for path in pdfs)
