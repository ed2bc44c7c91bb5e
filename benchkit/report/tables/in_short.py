"""The tables beside the answer: methods by adversary, the mean over the axis and three places on it."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.formatting import number
from benchkit.report.grid import Grid
from benchkit.report.leads import over_axis
from benchkit.report.statistics.points import Point, by_repetition, mean_on
from benchkit.report.tables.robustness import overview

MOST_ROWS = 36
"""With more, panels have one column each: their means over the axis."""
_LONGEST_NAME = 34  # with four columns of numbers a line of 80 is full
_PLACES = ("start", "middle", "end")


def in_short(analysis: Analysis) -> list[ReportTable]:
    """One of each metric that is the first of a data set, but where no method has a value."""
    by_metric: dict[str, list[Grid]] = {}
    for grid in analysis.first_grids:
        by_metric.setdefault(grid.metric, []).append(grid)
    in_full = sum(len(grid.rows) + 1 for grid in analysis.first_grids) <= MOST_ROWS
    tables = [
        _of_metric(metric, grids) if in_full else overview(analysis, grids) for metric, grids in by_metric.items()
    ]
    return [table for table in tables if table is not None]


def _of_metric(metric: str, grids: Sequence[Grid]) -> ReportTable | None:
    rows = [row for grid in grids for row in _panel(grid)]
    if not rows:
        return None
    titles: dict[str, list[str]] = {}
    for grid in grids:
        if len(grid.columns) > 1 and grid.adversary not in titles.setdefault(grid.axis_title, []):
            titles[grid.axis_title].append(grid.adversary)
    units = [*titles] if len(titles) == 1 else [f"{title} under {', '.join(who)}" for title, who in titles.items()]
    axis = f" ({'; '.join(units)})" if titles else ""
    longest = max(len(grid.columns) for grid in grids)
    # Of two places none is between them.
    shown = (0, 1) if longest < 2 else (0, 1, 2, 4) if longest < 3 else range(5)
    columns = [[metric, "mean", *_PLACES][place] for place in shown]
    return ReportTable(
        columns=columns,
        rows=[[row[place] for place in shown] for row in rows],
        align=("left", *["right"] * (len(columns) - 1)),
        note=f"mean: of the curve over the whole axis{axis}" if axis else "mean: over repetitions",
    )


def _panel(grid: Grid) -> list[list[ReportCell]]:
    """A row that names the panel and its places on the axis, then one for each method, the best mean first."""
    curves = {name: values for name, (values, _) in over_axis(grid).items() if by_repetition(values)}
    if not curves:
        return []
    most = max(len(values) for values in curves.values())
    means = {name: mean_on(values, values.keys()) for name, values in curves.items()}
    sign = -1.0 if grid.greater_is_better else 1.0
    whole = [means[name] for name, values in curves.items() if len(values) == most]
    best = min(whole, key=lambda mean: sign * mean)
    places = _places(len(grid.columns))
    spans = f"{grid.headings[0]} to {grid.headings[-1]}" if len(grid.columns) > 1 else ""
    heads = [f"at {grid.headings[place]}" if place is not None else "" for place in places]
    above: list[tuple[str, ...]] = []
    named = grid.panel
    if len(named) > _LONGEST_NAME and grid.adversary != "none":
        above, named = [(grid.name, *[""] * (1 + len(heads)))], f"under {grid.adversary}"
    rows = [[ReportCell(text, emphasis="panel") for text in texts] for texts in (*above, (named, spans, *heads))]
    for name in sorted(grid.rows, key=lambda name: (name not in means, sign * means.get(name, 0.0))):
        mean = ReportCell("-")
        if name in means:
            mean = ReportCell(number(means[name]), means[name], "best" if means[name] == best else "")
        shown = [
            _at(grid, None if place is None else grid.rows[name].get(str(grid.columns[place]))) for place in places
        ]
        rows.append([ReportCell(f"  {name}"), mean, *shown])
    return rows


def _places(columns: int) -> Sequence[int | None]:
    """The first, the middle and the last place, each once."""
    if columns < 2:
        return None, None, None
    return 0, columns // 2 if columns > 2 else None, columns - 1


def _at(grid: Grid, point: Point | None) -> ReportCell:
    if point is None:
        return ReportCell("")
    if point.mean is None:
        word = "skipped" if point.skipped == point.failed else "failed"
        return ReportCell(word if point.failed else "-", emphasis="failed" if point.failed else "")
    return ReportCell(number(point.mean), point.mean, "best" if grid.is_best(point) else "")
