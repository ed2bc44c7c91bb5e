"""A document is told once, and shown in every form; a plugin's own is, too; a hostile entry does nothing in any."""

import io
import math
import re

import pytest
from rich.console import Console

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
from benchkit.document.latex import latex_table
from benchkit.document.markdown import markdown_table
from benchkit.document.terminal import terminal_tables
from benchkit.document.text import with_interval
from benchkit.plugin.declarations import DeclarationError, ReportCell, ReportTable

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


def test_every_form_has_the_sentences_and_tables_in_order_and_details_where_they_are_asked_for():
    shown = [DOCUMENT.text(), DOCUMENT.markdown(), DOCUMENT.latex(), DOCUMENT.html()]
    for form in shown:
        assert form.index("Use lp.") < form.index("be careful")
        assert "p = 0.3" in form
        assert "lp" in form.partition("Use lp.")[2]
    for form in shown[:3]:
        assert "cores" not in form
    assert "<dt>cores</dt><dd>2</dd>" in shown[3]
    assert "<b>20 %</b>" not in shown[3]
    for form in (DOCUMENT.text, DOCUMENT.markdown, DOCUMENT.latex):
        assert "p = 0.3" not in form(details=False)
        assert "Use lp." in form(details=False)


def test_a_page_draws_a_chart_where_its_numbers_are(browsed):
    shown = browsed(DOCUMENT.html())
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
    assert Document("t", [gallery]).html().count("</script>") == 2


MARKED = ReportTable(
    title="a title",
    columns=["algorithm", "at 0", "at 1"],
    rows=[
        ["lp", ReportCell("0.1", 0.1, "best", "10 of 10", spread="±0.01", mark="*", count="9 of 10"), None],
        ["svm", 3, ReportCell("gone", emphasis="failed", href="x.html")],
    ],
    align=("left", "right", "right"),
    note="a note",
)


def terminal(table, width=80, bold=False):
    console = Console(width=width, file=io.StringIO())
    for part in terminal_tables(table, width, bold):
        console.print(part)
    return console.file.getvalue()


def test_text_beside_numbers_has_room_or_stands_below():
    """Numbers were cut to `59.6 [55.8, 63.…` beside a column of texts that had no character left."""
    interval = "59.6 [55.8, 63.1]"
    table = ReportTable(
        title="curves",
        columns=["lost", "at random", "over sets", "worst of each row", "worst same for all", "which"],
        rows=[["1", *[interval] * 4, "left-right"], ["2", *[interval] * 4, "left-right, a column of a longer name"]],
        align=("left", *["right"] * 4, "text"),
        note="a note",
    )
    for width in (60, 80, 140):
        text = terminal(table, width).replace("curves (continued)", "")
        assert max(map(len, text.splitlines())) <= width
        assert "…" not in text
        assert text.count(interval) == 8
        assert text.count("left-right,") == 1
        assert text.count("curves") == 1
    assert terminal(table, 140).count("lost") == 1


def test_names_of_wide_characters_keep_their_row():
    rows = [["🚀🚀 方法の名前の長い", "0.1", "one and another"], ["b", "0.2", "a third"]]
    table = ReportTable(title="t", columns=["method", "error", "why"], rows=rows, align=("left", "right", "text"))
    lines = [line for line in terminal(table, 80).splitlines() if "0." in line]
    assert [("方法" in line, "0.1" in line) for line in lines] == [(True, True), (False, False)]


def test_the_terminal_shows_all_and_marks_the_best_without_colour():
    text = terminal(MARKED)
    assert "_0.1_ ±0.01* (9 of 10)" in text
    assert all(each in text for each in ("a title", "svm", "3", "gone", " - "))
    assert "_0.1_" not in terminal(MARKED, bold=True)
    narrow = terminal(MARKED, width=28)
    assert (narrow.count("lp"), "(continued)" in narrow) == (2, True)
    assert max(map(len, narrow.splitlines())) <= 28


def test_the_other_forms_and_no_row_of_latex_begins_with_an_option_of_the_row_before_it():
    assert markdown_table(MARKED) == [
        "| algorithm | at 0 | at 1 |",
        "|---|---:|---:|",
        "| lp | **0.1 ±0.01\\* (9 of 10)** | - |",
        "| svm | 3 | gone |",
    ]
    text = latex_table(MARKED, "50 % of it", "here")
    assert r"\caption{50 \% of it}" in text
    assert r"\label{tab:here}" in text
    assert r"lp & \textbf{0.1} {\scriptsize $\pm$0.01}$^{*}$ {\scriptsize (9 of 10)} & -- \\" in text
    page = Document("d", [Table(MARKED, "means")]).html()
    assert '<td data-order="0.1" class="best" title="10 of 10">0.1 ±0.01* (9 of 10)</td><td>-</td>' in page
    assert '<th>svm</th><td>3</td><td class="failed"><a href="x.html">gone</a></td>' in page
    assert '<table class="sortable means">' in page
    table = ReportTable(title="", columns=["[a]", "b"], rows=[["[2pt] x", 1.0], ["*", 2.0]])
    rows = [line for line in latex_table(table, "", "x").splitlines() if line.endswith(r"\\")]
    assert [row[:3] for row in rows] == ["{}[", "{}[", "{}*"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rows": [["a"]]}, "a row of 1 entries in a table of 2 columns"),
        ({"align": ["left"]}, "align is .*each of 2 columns"),
        ({"align": ["left", "centre"]}, "align is .*centre"),
    ],
)
def test_a_table_that_does_not_add_up_is_refused(wrong, said):
    with pytest.raises(DeclarationError, match=said):
        ReportTable(**{"columns": ["a", "b"], "rows": [], **wrong})


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0.3, 0.036, 0.5, 1), ("0.30", "[0.04, 0.50]")),
        ((5.21, 3.4, 7.0, 1), ("5.2", "[3.4, 7.0]")),
        ((-8.5e-5, -0.00031, 0.00014), ("-0.0001", "[-0.0003, 0.0001]")),
        ((0.0, -0.003, 0.003), ("0.000", "[-0.003, 0.003]")),
        ((1234.5, 900.0, 2000.0), ("1234", "[900, 2000]")),
        ((0.5, -math.inf, math.inf), ("0.500", "-")),
    ],
)
def test_an_estimate_has_as_many_decimals_as_its_interval(values, texts):
    assert with_interval(*values) == texts
