"""Tables in every format are headed by what the axis counts, in words."""

import io

import pytest
from rich.console import Console

from benchkit.document.terminal import terminal_tables
from benchkit.report.analysis import Analysis
from benchkit.report.documents import latex, markdown, run_document
from benchkit.report.tables import differences, means, robustness


@pytest.fixture
def analysis(make_row, make_results):
    rows = [
        make_row(r, 0.1 * place + 0.01 * r + shift, algorithm=name, axis_value=float(place))
        for name, shift in {"good": 0.0, "bad": 0.2}.items()
        for place in range(3)
        for r in range(4)
    ]
    return Analysis(make_results(rows, axis_titles={"a": "features deleted"}))


def shown(table):
    console = Console(width=80, file=io.StringIO())
    for part in terminal_tables(table):
        console.print(part)
    return console.file.getvalue()


def test_the_axis_is_named_in_words(analysis):
    (grid,) = analysis.grids
    for table in (means, robustness, differences):
        assert "features deleted" in (terminal := shown(table(analysis, grid)))
        assert "budget" not in terminal
    assert "| features deleted |" in markdown(analysis)
    assert "features deleted at which error passes" in markdown(analysis)
    assert "features deleted & " in latex(analysis)
    assert "<th>features deleted</th>" in analysis.results._repr_html_()
    html = run_document(analysis, {"suite_as_run": {}, "environment": {}, "trials": []}).html()
    assert ">features deleted</button>" in html
    assert ">budget</button>" not in html
