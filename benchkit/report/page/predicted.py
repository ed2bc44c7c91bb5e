"""What was predicted: confusion matrices, ROC and calibration curves, as many as a page carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from benchkit.report.analysis import Analysis
from benchkit.report.page.curve_style import curve_styles
from benchkit.report.page.section import Section
from benchkit.report.predicted import Predicted, confusion, predicted
from benchkit.report.renderers.html import html_table, render

PREDICTED = "What was predicted"
_MOST_PANELS = 24
_MOST_CELLS = 6000  # of confusion matrices, 100 bytes each
_MOST_CURVES = 240  # of 102 points, 12 bytes each
_NOTE = (
    "Over all repetitions. Confusion matrices: shares of each true class, counts on hover. ROC: the mean of the "
    "repetitions' curves, for the second class, with the mean area under them. Calibration: rows in ten bins of "
    "predicted probability, against the share that is of the second class; on the diagonal a method keeps its word"
)
# Of page/unit_square.html.
_LEFT, _BOTTOM, _SIDE = 46, 292, 280


def what_was_predicted(analysis: Analysis) -> Section | None:
    """A panel for each data set and adversary, at the start of the axis and at its end; None without kept rows."""
    styles = curve_styles(analysis.algorithms)
    panels: list[Mapping[str, Any]] = []
    cells = curves = left_out = 0
    for each in predicted(analysis):
        more_cells = len(each.confusion) * len(each.classes) ** 2
        more_curves = len(each.roc) + len(each.calibrated)
        if len(panels) == _MOST_PANELS or cells + more_cells > _MOST_CELLS or curves + more_curves > _MOST_CURVES:
            left_out += 1
            continue
        cells, curves = cells + more_cells, curves + more_curves
        panels.append({"title": each.where, "html": _panel(each, styles), "note": "", "below": ""})
    if not panels and not left_out:
        return None
    notes = [_NOTE]
    if left_out:
        notes.append(f"{left_out} more panels would make the page too large: --datasets and --algorithms choose others")
    body = render("page/panels.html", panels=panels, opened=False, columns=False)
    return Section(PREDICTED, render("page/notes.html", body=body, notes=notes))


def _panel(each: Predicted, styles: Mapping[str, str]) -> Markup:
    second = each.classes[-1]
    roc = [
        {
            "name": f"{name} {curve.area:.3f}",
            "style": styles[name],
            "path": _path(list(zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True))),
            "points": [],
        }
        for name, curve in each.roc.items()
    ]
    calibrated = [
        {
            "name": name,
            "style": styles[name],
            "path": _path([(one.predicted, one.observed) for one in bins]),
            "points": [
                (
                    *_place(one.predicted, one.observed),
                    f"{name}: {one.observed:.1%} of {one.rows:,} rows at {one.predicted:.1%}",
                )
                for one in bins
            ],
        }
        for name, bins in each.calibrated.items()
    ]
    charts = [
        render("page/unit_square.html", said=said, across=across, up=up, curves=drawn)
        for said, across, up, drawn in (
            (f"ROC of {second}", f"share of the others taken for {second}", f"share of {second} found", roc),
            (f"Calibration of {second}", f"predicted probability of {second}", f"share that is {second}", calibrated),
        )
        if drawn
    ]
    squares = Markup('<div class="squares">{}</div>').format(Markup("").join(charts)) if charts else Markup("")
    return html_table(confusion(each), "means confusion second-name") + squares


def _path(points: Sequence[tuple[float, float]]) -> str:
    """A line through points, without those on the way between their neighbours."""
    kept = [
        place
        for number, place in enumerate(points)
        if number in (0, len(points) - 1) or not _between(points[number - 1], place, points[number + 1])
    ]
    return "M" + "L".join(" ".join(_place(*each)) for each in kept)


def _between(before: tuple[float, float], at: tuple[float, float], after: tuple[float, float]) -> bool:
    slope = (at[0] - before[0]) * (after[1] - before[1]) - (at[1] - before[1]) * (after[0] - before[0])
    return abs(slope) < 1e-12


def _place(x: float, y: float) -> tuple[str, str]:
    return f"{_LEFT + x * _SIDE:.1f}", f"{_BOTTOM - y * _SIDE:.1f}"
