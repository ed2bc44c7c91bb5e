"""The page is one file that asks for nothing, and works in a browser."""

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from benchkit.plugin.declarations import ReportSection, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.documents import run_document
from benchkit.suite.claims import Claim
from tests.conftest import PATIENCE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MANIFEST = {
    "run": "r1",
    "suite": "s",
    "title": "S",
    "started": "2026-01-01T00:00:00",
    "environment": {"python": "3.12", "versions": {"numpy": "2"}, "something new": ["a", "b"]},
    "suite_as_run": {"name": "s", "source": "a paper", "description": "</script><b>bold</b>"},
    "trials": [],
}
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


def page(analysis, manifest):
    return run_document(analysis, manifest).html()


@pytest.fixture(scope="module")
def analysis(make_row, make_curves, make_results):
    rows = make_curves({"good": 0.0, "<bad>": 0.2}, ("one", "two", "three"), repetitions=8)
    rows += [make_row(r, None, "timeout", algorithm="slow", dataset="one", axis_value=1.0) for r in range(2)]
    claim = Claim.model_validate({"claim": "good & cheap", "source": "x", "order": ["good", "<bad>"], "reason": "luck"})
    told = ReportSection(
        name="told", title="Of a plugin", compute=lambda results: ReportTable(columns=["a"], rows=[["<b>"]])
    )
    shown = {"expectations": [claim], "planned": len(rows), "report_sections": [told]}
    return Analysis(make_results(rows, title="A <title>", **shown))


@pytest.fixture(scope="module")
def text(analysis):
    return page(analysis, MANIFEST)


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


def test_what_failed_is_told_with_its_adversary_and_damaged_records_are_too(make_row, make_results):
    rows = [make_row(0, 0.1), make_row(1, None, "failed", algorithm="lost", adversary="greedy")]
    told = page(Analysis(make_results(rows, damaged=["line 3 is no record"])), MANIFEST)
    (section,) = re.findall(r"<h2>Trials that did not end ok</h2>(.*?)</section>", told, re.DOTALL)
    assert "<td>lost</td><td>d under greedy</td>" in section
    assert "line 3 is no record." in section
    assert "line 3 is no record." in page(Analysis(make_results(rows[:1], damaged=["line 3 is no record"])), MANIFEST)


def test_names_are_escaped(text):
    assert "<bad>" not in text
    assert "&lt;bad&gt;" in text
    assert "<b>bold</b>" not in text
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert json.loads(data)["algorithms"] == ["good", "<bad>", "slow"]


def test_the_curves_hold_the_means(analysis, text):
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    panel = json.loads(data)["panels"][0]
    point = next(p for p in analysis.points if p.algorithm == "good" and p.axis_value == 2.0)
    place, mean, stderr, low, high, n, total, mark = panel["curves"]["good"][2]
    assert (place, mean, n, total, mark) == (2.0, pytest.approx(point.mean, rel=1e-5), 8, 8, "")
    assert (low, high) == pytest.approx(point.interval(), rel=1e-5)
    assert stderr == pytest.approx(point.stderr, rel=1e-5)
    assert panel["curves"]["<bad>"][2][-1] == "*"


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_in_a_browser(text, tmp_path):
    path = tmp_path / "report.html"
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
    path.write_text(text.replace("<head>", f"{watch}</script>", 1).replace("</body>", probe))
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    found = subprocess.run(
        [*command, "--virtual-time-budget=3000", "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    body = re.search(r"<body[^>]*>", found.stdout)[0]
    assert "data-error" not in found.stdout.split("<head>")[0]
    assert html.unescape(re.search(r'data-first="([^"]*)"', body)[1]) == "<bad>"
    assert 'data-drawn="1"' in body  # of two curves with values, one was switched off
    apart = html.unescape(re.search(r'data-apart="([^"]*)"', body)[1])
    assert apart.startswith("<bad> - good, mean difference with its 95 % interval")
    assert re.search(r": \d\.\d+ \[\d\.\d+, \d\.\d+\]", apart)  # of the two chosen, with its interval
    assert 'data-requests="0"' in body
    assert "<svg" in found.stdout
