"""One table, shown four times: what it says is in all of them, and a hostile entry does nothing in any."""

import io

import pytest
from rich.console import Console

from benchkit.document import Document, Table
from benchkit.document.latex import latex_table
from benchkit.document.markdown import markdown_table
from benchkit.document.terminal import terminal_tables
from benchkit.plugin.declarations import DeclarationError, ReportCell, ReportTable

TABLE = ReportTable(
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


def test_the_terminal_shows_all_and_marks_the_best_without_colour():
    text = terminal(TABLE)
    assert "_0.1_ ±0.01* (9 of 10)" in text
    assert all(each in text for each in ("a title", "svm", "3", "gone", " - "))
    assert "_0.1_" not in terminal(TABLE, bold=True)
    narrow = terminal(TABLE, width=28)
    assert (narrow.count("lp"), "(continued)" in narrow) == (2, True)
    assert max(map(len, narrow.splitlines())) <= 28


def test_no_row_of_latex_begins_with_an_option_of_the_row_before_it():
    table = ReportTable(title="", columns=["[a]", "b"], rows=[["[2pt] x", 1.0], ["*", 2.0]])
    rows = [line for line in latex_table(table, "", "x").splitlines() if line.endswith(r"\\")]
    assert [row[:3] for row in rows] == ["{}[", "{}[", "{}*"]


def test_the_other_forms():
    assert markdown_table(TABLE) == [
        "| algorithm | at 0 | at 1 |",
        "|---|---:|---:|",
        "| lp | **0.1 ±0.01\\* (9 of 10)** | - |",
        "| svm | 3 | gone |",
    ]
    text = latex_table(TABLE, "50 % of it", "here")
    assert r"\caption{50 \% of it}" in text
    assert r"\label{tab:here}" in text
    assert r"lp & \textbf{0.1} {\scriptsize $\pm$0.01}$^{*}$ {\scriptsize (9 of 10)} & -- \\" in text
    page = Document("d", [Table(TABLE, "means")]).html()
    assert '<td data-order="0.1" class="best" title="10 of 10">0.1 ±0.01* (9 of 10)</td><td>-</td>' in page
    assert '<th>svm</th><td>3</td><td class="failed"><a href="x.html">gone</a></td>' in page
    assert '<table class="sortable means">' in page


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
