"""What tuning cost and what it bought: a table and a drawing per panel, where something was tuned."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchkit.report.analysis import Analysis
from benchkit.report.formatting import number
from benchkit.report.page.curve_style import curve_styles
from benchkit.report.page.section import Section, of_panels
from benchkit.report.renderers.html import render
from benchkit.report.tuning_cost import NOTE, TuningCost
from benchkit.report.tuning_cost import tuning as tuning_tables

_OPEN = 6
# Of page/chart.html.
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 508, 12, 188


def tuning(analysis: Analysis) -> Section | None:
    """A table and a chart for each dataset and adversary."""
    styles = curve_styles(analysis.algorithms)
    tables = [replace(table, note="") for table in tuning_tables(analysis)]
    charts = [_chart(costs, analysis.metrics[0], styles) for costs in analysis.tuning_costs.values()]
    return of_panels("Tuning", tables, opened=len(tables) <= _OPEN, notes=[NOTE], below=charts)


def _chart(costs: Sequence[TuningCost], metric: str, styles: Mapping[str, str]) -> str:
    """The best validation score against seconds of tuning, whose axis is logarithmic."""
    found = [cost for cost in costs if cost.trajectory]
    if not found:
        return ""
    times = [math.log10(seconds) for cost in found for seconds, _ in cost.trajectory]
    scores = [score for cost in found for _, score in cost.trajectory]
    decades = range(math.floor(min(times)), max(math.ceil(max(times)), math.floor(min(times)) + 1) + 1)
    low, high = min(scores), max(scores)
    room = 0.05 * (high - low) or 0.05 * abs(high) or 0.05
    low, high = low - room, high + room

    def x(seconds: float) -> str:
        share = (math.log10(seconds) - decades[0]) / (decades[-1] - decades[0])
        return f"{_LEFT + share * (_RIGHT - _LEFT):.1f}"

    def y(score: float) -> str:
        return f"{_BOTTOM - (score - low) / (high - low) * (_BOTTOM - _TOP):.1f}"

    curves = []
    for cost in found:
        (start, first), *rest = cost.trajectory
        path = f"M{x(start)} {y(first)}" + "".join(f"H{x(seconds)}V{y(score)}" for seconds, score in rest)
        end, last = cost.trajectory[-1]
        curves.append({"name": cost.algorithm, "style": styles[cost.algorithm], "path": path, "end": (x(end), y(last))})
    levels = [low + step / 3 * (high - low) for step in range(4)]
    return render(
        "page/chart.html",
        across=[(x(10.0**decade), f"{10.0**decade:g}") for decade in decades],
        up=[(y(score), number(score)) for score in levels],
        curves=curves,
        said=f"best validation {metric} so far, against seconds of tuning",
    )
