"""No text of a figure is outside it, however long names are; what is compared with looks the same everywhere."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from benchkit.document.charts import save, styled
from benchkit.report.analysis import Analysis
from benchkit.report.plots import figures

NAMES = [
    "gradient-boosting-with-early-stopping-and-monotone-constraints",
    "logistic-regression-tuned-on-corrupted-data",
    "random-forest-of-five-hundred-trees",
    "one-versus-rest-of-feature-dropping-machines",
    "constant",
]
ADVERSARY = "query-delete-with-a-beam-of-sixteen-rows"


@pytest.fixture(scope="module")
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
