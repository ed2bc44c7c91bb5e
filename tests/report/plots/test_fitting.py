"""No text of a figure is outside it, however long names are; what is compared with looks the same everywhere."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from benchkit.report.analysis import Analysis
from benchkit.report.plots.all_plots import figures
from benchkit.report.plots.robustness_curves import grid_of_curves, robustness_curve
from benchkit.report.plots.style import curves, new_figure, save, styled

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


def outside(figure):
    """Texts that reach over the figure's edge."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    bounds = figure.bbox
    beyond = {id(tick.label1) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for tick in axis.majorTicks}
    drawn = {id(tick.label1) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for tick in _shown(axis)}
    found = []
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in beyond - drawn:
            box = text.get_window_extent(canvas.get_renderer())
            if box.x0 < -1 or box.x1 > bounds.x1 + 1 or box.y0 < -1 or box.y1 > bounds.y1 + 1:
                found.append(text.get_text())
    return found


def test_all_text_is_inside(analysis, tmp_path):
    with styled():
        for name, figure in figures(analysis):
            if name.startswith(("curve", "grid")):
                save(figure, tmp_path / name, ("svg",))
                assert outside(figure) == [], name
                legend = {" ".join(text.get_text().split()) for text in figure.legends[0].get_texts()}
                assert {each.replace("- ", "-") for each in legend} == set(NAMES)


def test_a_title_above_all_panels_is_inside(tmp_path):
    with styled():
        figure, _ = new_figure()
        figure.suptitle(f"error under {ADVERSARY}, and under {ADVERSARY}")
        save(figure, tmp_path / "title", ("svg",))
        assert outside(figure) == []


def test_titles_name_the_adversary(analysis):
    assert ADVERSARY in robustness_curve(analysis.grids[0]).axes[0].get_title()
    assert grid_of_curves(analysis.all_grids).get_suptitle() == f"error under {ADVERSARY}"


def test_counts_have_whole_ticks(analysis):
    with styled():
        for figure in (robustness_curve(analysis.grids[0]), grid_of_curves(analysis.all_grids)):
            FigureCanvasAgg(figure).draw()
            assert all(float(tick).is_integer() for tick in figure.axes[0].get_xticks())


@pytest.mark.parametrize("others", [1, 4, 12, 30])
def test_what_is_compared_with_is_grey_everywhere(others):
    for place in (0, others):
        names = [f"method-{number}" for number in range(others)]
        names.insert(place, "constant")
        styles = curves(names)
        assert styles["constant"].color == "#8A8A8A"
        looks = {(style.color, style.marker, str(style.linestyle)) for style in styles.values()}
        assert len(looks) == len(names)
