"""Figures show what they should; curves are told apart without colour."""

import pytest

from benchkit.document.charts import look
from benchkit.report.analysis import Analysis
from benchkit.report.plots import critical_difference_diagram, figure_of, write_plots
from benchkit.statistics.ranking import rank_algorithms


@pytest.fixture(scope="module")
def analysis(make_row, make_curves, make_results):
    rows = make_curves({"good": 0.0, "bad": 0.2}, ("one", "two", "three"))
    rows += [make_row(0, None, "failed", algorithm="lost", dataset="one", axis_value=float(p)) for p in range(3)]
    return Analysis(make_results(rows))


def test_a_run_gives_its_figures_as_svg_and_png(analysis, tmp_path):
    names = {path.name for path in write_plots(analysis, tmp_path, ("svg",))}
    assert {"curve-error-one-a.svg", "grid-error-datasets-a.svg", "ranks-error-a.svg"} <= names
    svg = (tmp_path / "curve-error-one-a.svg").read_text()
    assert "lost (3 trials missing)" in svg
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


def test_no_two_curves_look_alike():
    looks = [look(number) for number in range(70)]
    assert len({str(each) for each in looks}) == 70
    # Also without colour, for as many as a plot can bear.
    for part in ("color", "marker", "linestyle"):
        assert len({str(each[part]) for each in looks[:16]}) == 16, part


def test_the_critical_difference_diagram_names_everyone():
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
    for path in pdfs:
        assert rf"\includegraphics{{{path.name}}}" in text
        assert rf"\label{{fig:{path.stem}}}" in text
