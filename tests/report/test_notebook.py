"""Results in Python and in notebooks: short, answering, and the same as the report."""

import pytest

from benchkit.report.analysis import SelectionError


@pytest.fixture
def results(make_row, make_results):
    rows = [
        make_row(
            r, base + 0.1 * place + 0.01 * r, algorithm=name, axis_value=place, adversary=adversary, pair=adversary
        )
        for adversary in ("greedy", "random")
        for name, base in {"good": 0.1, "<bad>": 0.4}.items()
        for place in (0.0, 1.0)
        for r in range(5)
    ]
    return make_results(rows)


def test_a_run_without_an_answer_says_so(make_row, make_results):
    assert make_results([make_row(0, status="failed")]).answer().startswith("no answer")


def test_tables_have_numbers_or_the_report_s_cells(results):
    table = results.table()
    assert table.index.names == ["dataset", "adversary", "algorithm"]
    assert table.loc[("d", "greedy", "good"), 1.0] == pytest.approx(0.22)
    assert results.table(spread=True).loc[("d", "random", "<bad>"), 0.0] == "0.420 ±0.007"


def test_html_escapes_marks_and_answers(results):
    html = results._repr_html_()
    assert "&lt;bad&gt;" in html
    assert "<bad>" not in html
    assert "<b>0.120 ±0.007</b>" in html
    assert "Under greedy on d, use good" in html


def test_figures_are_pictures_of_the_panels_asked_for(results):
    one = results.plot(adversary="greedy")
    assert one._repr_png_().startswith(b"\x89PNG")
    assert len(one.axes) == 1
    assert sum(bool(axes.lines) for axes in results.plot().axes) == 2
    with pytest.raises(SelectionError, match="no such panel in this run; it has d under greedy, d under random"):
        results.plot(dataset="other")
