"""Every form of a run's numbers holds all of them and hides no failure; what a stranger wrote does nothing."""

import csv
import io
import json
import os
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from pyarrow import parquet

from benchkit import run
from benchkit.cli.interface.console import print_error
from benchkit.cli.interface.progress import PlainProgress
from benchkit.cli.interface.show_results import print_results
from benchkit.cli.report import _write
from benchkit.document.text import printable
from benchkit.errors import JournalError
from benchkit.plugin.declarations import ReportFormat
from benchkit.plugin.manager import registry
from benchkit.report.analysis import Analysis, SelectionError
from benchkit.report.documents import latex, markdown, run_document, short_document
from benchkit.report.exports import csv_text, json_text, parquet_bytes
from benchkit.report.files import write, write_files
from benchkit.report.plots import write_plots
from benchkit.report.stored_results import join_results
from benchkit.report.tables import means
from benchkit.suite.claims import Claim

WHY = "budget 11 exceeds 10"


def test_csv_and_json_have_every_point_and_parquet_every_record(tmp_path, make_row, make_curves, make_results):
    fields = {"dataset": "breast", "adversary": "greedy-delete"}
    rows = make_curves({"svm": 0.1, "constant": 0.4}, ["breast"], 6, 2, adversary="greedy-delete")
    rows = [row for row in rows if (row["algorithm"], row["axis_value"]) != ("svm", 5.0)]
    rows += [make_row(r, None, "failed", error=WHY, algorithm="svm", axis_value=5.0, **fields) for r in range(2)]
    results = make_results(rows)
    analysis = Analysis(results)
    rows = list(csv.DictReader(io.StringIO(csv_text(analysis))))
    objects = json.loads(json_text(analysis))
    assert len(rows) == len(objects) == 12
    expected = "dataset dataset_params group adversary algorithm budget axis axis_value metric mean stderr n failed"
    assert list(objects[0]) == expected.split()
    assert list(rows[0])[: len(objects[0])] == list(objects[0])
    assert [each["mean"] for each in objects if each["failed"] == 2] == [None]
    point = next(p for p in analysis.points if analysis.comparison(p))
    row = next(r for r in rows if r["algorithm"] == point.algorithm and float(r["axis_value"]) == point.axis_value)
    assert float(row["p_holm"]) == analysis.comparison(point).holm
    assert float(row["low"]) == pytest.approx(point.interval()[0])
    (tmp_path / "r.parquet").write_bytes(parquet_bytes(Analysis(results)))
    table = parquet.read_table(tmp_path / "r.parquet").to_pylist()
    assert [row["cell"] for row in table] == [row["cell"] for row in results.records]
    assert [row["metrics.error"] for row in table] == [row["metrics"].get("error") for row in results.records]
    assert {row["error"] for row in table} == {None, WHY}


def test_a_metric_without_a_value_is_no_failed_trial(cell, make_results):
    rows = cell("good", [0.1] * 3) + cell("silent", [0.1] * 3, metrics={"error": None})
    analysis = Analysis(make_results(rows))
    (shown,) = (row[1] for row in means(analysis, analysis.grids[0]).cells if str(row[0]) == "silent")
    assert (str(shown), shown.emphasis) == ("-", "")
    assert any("3 of 3 trials of silent" in caution for caution in analysis.cautions)
    for row in rows:
        row["metrics"], row["no_value"] = {}, {"error": "one class is absent"}
    silent = Analysis(make_results(rows))
    assert "one class is absent" in means(silent, silent.grids[0]).note


def test_of_equal_means_none_is_the_best(cell, make_results):
    rows = cell("a", [0.5] * 3) + cell("b", [0.5] * 3)
    for other, expected in (([], ["", ""]), (cell("c", [0.6] * 3), ["best", "best", ""])):
        analysis = Analysis(make_results(rows + other))
        assert [row[1].emphasis for row in means(analysis, analysis.grids[0]).cells] == expected


def check(text):
    """Raise where LaTeX would complain."""
    stack, columns = [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("%"):
            continue
        assert line.isascii(), (number, line)
        assert not re.search(r"(?<!\\)%", line), (number, line)
        plain = re.sub(r"\\[\\{}&%$#_]", "", line)
        assert plain.count("{") == plain.count("}"), (number, line)
        assert plain.count("$") % 2 == 0, (number, line)
        assert not re.search(r"[#~]", plain), (number, line)
        outside = re.sub(r"\$[^$]*\$", "", plain)
        assert not re.search(r"[_^]", outside), (number, line)
        for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", line):
            if kind == "begin":
                stack.append(name)
            else:
                assert stack.pop() == name, (number, line)
        if begun := re.match(r"\\begin\{tabular\}\{(.*)\}$", line):
            columns = len(re.sub(r"p\{[^}]*\}", "p", begun[1]))
        if line.endswith("\\\\"):
            assert stack[-1] == "tabular", (number, line)
            assert plain.count("&") == columns - 1, (number, line)
    assert not stack


def test_latex_is_well_formed(make_row, make_curves, make_results):
    """As a compiler would check it: balanced, escaped, as many cells as columns."""
    rows = [make_row(r, None, "failed", algorithm="lost", dataset="a_b", axis_value=1.0) for r in range(2)]
    for dataset, start in {"a_b": 0.1, "50% & more": 0.2, "c^2 {x} ~ #1": 0.3}.items():
        rows += make_curves({"go_od": start, "b\\ad $1": start + 0.3}, [dataset], 8, 8)
    text = latex(Analysis(make_results(rows, title="100 % of it")))
    check(text)
    assert r"\toprule" in text
    labels = re.findall(r"\\label\{(tab:[A-Za-z0-9.-]+)\}", text)
    assert len(set(labels)) == len(labels) == text.count(r"\begin{table}")
    assert r"\label{tab:s-error-on-a-b-under-a}" in text
    assert r"\textbf{0.135}" in text
    assert "$^{*}$" in text
    assert "0 of 2" in text
    assert text.count(r"\begin{tabular}") == len(labels) + 3  # eight columns of three data sets do not fit a page


@pytest.fixture
def in_python(make_curves, make_results):
    fields = {"starts": {"good": 0.1, "<bad>": 0.4}, "places": 2, "repetitions": 5}
    return make_results(make_curves(**fields, adversary="greedy") + make_curves(**fields, adversary="random", pair=1))


def test_a_run_without_an_answer_says_so_and_tables_are_numbers_cells_or_escaped(make_row, make_results, in_python):
    assert "no luck" in make_results([make_row(0, status="failed")]).answer()
    assert make_results([make_row(0, 0.1)]).answer().startswith("no answer")
    table = in_python.table()
    assert table.index.names == ["dataset", "adversary", "algorithm"]
    assert table.loc[("d", "greedy", "good"), 1.0] == pytest.approx(0.22)
    assert in_python.table(spread=True).loc[("d", "random", "<bad>"), 0.0] == "0.420 ±0.007"
    html = in_python._repr_html_()
    assert "&lt;bad&gt;" in html
    assert "<bad>" not in html
    assert "<b>0.120 ±0.007</b>" in html
    assert "Under greedy on d, use good" in html


def test_figures_are_pictures_of_the_panels_asked_for(in_python):
    one = in_python.plot(adversary="greedy")
    assert one._repr_png_().startswith(b"\x89PNG")
    assert len(one.axes) == 1
    assert sum(bool(axes.lines) for axes in in_python.plot().axes) == 2
    with pytest.raises(SelectionError, match="no such panel in this run; it has d under greedy, d under random"):
        in_python.plot(dataset="other")


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
def both(make_curves, make_results):
    members = [make_results(make_curves({"one": 0.1, "other": 0.2}), suite=name) for name in ("one", "two")]
    return join_results("both", "Both", members[0].folder, members), [Analysis(each) for each in members]


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
    assert {link.split("/")[0] for link in links if (out / link).is_file()} == {"first", "second"}
    assert "<suite>" not in page
    assert "unreadable" in page


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


def test_the_terminal_gets_no_control_character_in_any_form(analysis, capsys, monkeypatch, make_row):
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
    form = ReportFormat(name="mine", suffix=".x", render=lambda analysis: analysis.results.title)
    _write(analysis.results, [analysis], form, None)
    assert capsys.readouterr().out.startswith("[bold]\ufffd]0;owned\ufffd")


def test_markdown_holds_no_html_and_no_image_latex_and_the_page_no_control_character(analysis):
    for text in (markdown(analysis), short_document(analysis).markdown()):
        assert not [hostile for hostile in ("<img", "![", "\x1b") if hostile in text]
        assert "&lt;img" in text
    manifest = {"suite_as_run": {"description": ESCAPE}, "title": ESCAPE, "environment": {ESCAPE: ESCAPE}}
    for text in (latex(analysis), run_document(analysis, manifest).html()):
        assert set("\x1b\x07\u202e").isdisjoint(text)
        assert "\ufffd]0;owned" in text


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
