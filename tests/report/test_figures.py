"""No text of a figure is outside it, however long names are; what is compared with looks the same everywhere."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from benchkit.document import Chart
from benchkit.document.charts import figure, look, save, style_numbers, styled
from benchkit.report.analysis import Analysis
from benchkit.report.plots import figure_of, figures
from benchkit.report.points import TRIVIAL_METHODS

NAMES = [
    "gradient-boosting-with-early-stopping-and-monotone-constraints",
    "logistic-regression-tuned-on-corrupted-data",
    "random-forest-of-five-hundred-trees",
    "one-versus-rest-of-feature-dropping-machines",
    "constant",
]
ADVERSARY = "query-delete-with-a-beam-of-sixteen-rows"


@pytest.fixture
def analysis(make_row, make_results):
    rows = [
        make_row(r, 0.1 * place + 0.01 * r, algorithm=name, dataset=dataset, axis_value=float(budget))
        | {"adversary": ADVERSARY}
        for dataset in ("a-data-set-with-quite-a-long-name", "another-data-set-of-the-same-kind", "three")
        for place, name in enumerate(NAMES)
        for budget in range(3)
        for r in range(6)
    ]
    return Analysis(make_results(rows))


def _shown(axis):
    """Ticks within the limits: matplotlib keeps others, and does not draw them."""
    low, high = sorted(axis.get_view_interval())
    return [tick for tick in axis.majorTicks if low <= tick.get_loc() <= high]


def outside(whole):
    """Texts that reach over the figure's edge."""
    canvas = FigureCanvasAgg(whole)
    canvas.draw()
    bounds = whole.bbox
    beyond = {id(tick.label1) for axes in whole.axes for axis in (axes.xaxis, axes.yaxis) for tick in axis.majorTicks}
    drawn = {id(tick.label1) for axes in whole.axes for axis in (axes.xaxis, axes.yaxis) for tick in _shown(axis)}
    found = []
    for text in whole.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in beyond - drawn:
            box = text.get_window_extent(canvas.get_renderer())
            if box.x0 < -1 or box.x1 > bounds.x1 + 1 or box.y0 < -1 or box.y1 > bounds.y1 + 1:
                found.append(text.get_text())
    return found


def test_all_text_is_inside(analysis, tmp_path):
    with styled():
        for name, drawn in figures(analysis):
            if name.startswith(("curve", "grid")):
                save(drawn, tmp_path / name, ("svg",))
                assert outside(drawn) == [], name
                legend = {" ".join(text.get_text().split()) for text in drawn.legends[0].get_texts()}
                assert {each.replace("- ", "-") for each in legend} == set(NAMES)


def test_a_title_above_all_panels_is_inside(tmp_path):
    with styled():
        drawn = figure([Chart("", "", "", [])], f"error under {ADVERSARY}, and under {ADVERSARY}")
        save(drawn, tmp_path / "title", ("svg",))
        assert outside(drawn) == []


def test_titles_name_the_adversary(analysis):
    assert ADVERSARY in figure_of(analysis.grids[:1], analysis).axes[0].get_title()
    assert figure_of(analysis.all_grids, analysis).get_suptitle() == f"error under {ADVERSARY}"


def test_counts_have_whole_ticks(analysis):
    with styled():
        for drawn in (figure_of(grids, analysis) for grids in (analysis.grids[:1], analysis.all_grids)):
            FigureCanvasAgg(drawn).draw()
            assert all(float(tick).is_integer() for tick in drawn.axes[0].get_xticks())


@pytest.mark.parametrize("others", [1, 4, 12, 30])
def test_what_is_compared_with_is_grey_everywhere(others):
    for place in (0, others):
        names = [f"method-{number}" for number in range(others)]
        names.insert(place, "constant")
        styles = style_numbers(names, TRIVIAL_METHODS)
        assert look(styles["constant"])["color"] == "#8A8A8A"
        assert len({str(look(style)) for style in styles.values()}) == len(names)
