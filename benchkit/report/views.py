"""Results as a notebook shows them: the answer, a table, a figure, and all of it at a glance."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from benchkit.report.analysis import Analysis, SelectionError, Settings
from benchkit.report.formatting import cell_text
from benchkit.report.grid import Grid
from benchkit.report.plots.robustness_curves import grid_of_curves, robustness_curve
from benchkit.report.plots.style import styled
from benchkit.report.results import Results

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_TABLES = 6
"""Of a run with more, the first are shown, and how many there are."""


def answer(results: Results) -> str:
    """The lines that the page and the terminal end in."""
    lines = [line for each in results.suites for line in Analysis(each).answers]
    return "\n".join(lines) if lines else "no answer: no two algorithms ended ok on shared repetitions"


def table(results: Results, metric: str | None, spread: bool) -> pd.DataFrame:
    """Means; or, with their spread and stars, the cells of the report's tables."""
    import pandas as pd

    frames = []
    for analysis, grid in _grids(results, metric):
        rows = {
            algorithm: [
                cell_text(point, analysis.settings.spread, analysis.mark(point))
                if spread
                else (None if point is None else point.mean)
                for point in (row.get(str(value)) for value in grid.columns)
            ]
            for algorithm, row in grid.rows.items()
        }
        frame = pd.DataFrame.from_dict(rows, orient="index", columns=grid.columns)
        places = [(grid.name, grid.adversary, algorithm) for algorithm in frame.index]
        frame.index = pd.MultiIndex.from_tuples(places, names=["dataset", "adversary", "algorithm"])
        frame.columns.name = grid.axis
        frames.append(frame)
    if not frames:
        return pd.DataFrame()
    whole = pd.concat(frames)
    return whole[sorted(whole.columns)] if all(isinstance(name, int | float) for name in whole.columns) else whole


def plot(results: Results, metric: str | None, dataset: str | None, adversary: str | None) -> Figure:
    """The curves of one panel, or of all that fit the choice in one figure."""
    grids = [
        grid
        for _, grid in _grids(results, metric)
        if dataset in (None, grid.dataset, grid.name) and adversary in (None, grid.adversary)
    ]
    if not grids:
        known = sorted({grid.panel for _, grid in _grids(results, metric)})
        raise SelectionError(f"no such panel in this run; it has {', '.join(known) or 'none'}")
    with styled():
        figure = robustness_curve(grids[0]) if len(grids) == 1 else grid_of_curves(grids, columns=3, width=2.3)
    # A figure that no window system made is shown by a notebook only where it says how.
    figure._repr_png_ = lambda: _png(figure)  # type: ignore[attr-defined]
    return figure


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    with styled():
        figure.savefig(buffer, format="png", dpi=120)
    return buffer.getvalue()


def html(results: Results) -> str:
    """Answers, tables and how the trials ended."""
    parts = [f"<p><b>{escape(results.title or results.suite)}</b></p>"]
    parts += [f"<p>{escape(line)}</p>" for line in answer(results).splitlines()]
    shown = _grids(results, None)
    parts += [_table(analysis, grid) for analysis, grid in shown[:_TABLES]]
    if len(shown) > _TABLES:
        parts.append(f"<p>and {len(shown) - _TABLES} more tables: <code>.table()</code> has all</p>")
    analyses = list(dict.fromkeys(analysis for analysis, _ in shown))
    notes = dict.fromkeys(note for analysis in analyses for note in analysis.notes)
    parts += [f"<p><small>{escape('. '.join(notes))}.</small></p>"] if notes else []
    parts.append(f"<p><small>{escape(ending(results))}; files in {escape(str(results.folder))}</small></p>")
    return "".join(parts)


def ending(results: Results) -> str:
    """How the trials ended, in a few words."""
    ended = ", ".join(f"{count} {status}" for status, count in results.statuses.most_common()) or "no trial ended"
    return f"{len(results.rows)} trials: {ended}"


def _grids(results: Results, metric: str | None) -> list[tuple[Analysis, Grid]]:
    """The tables of one metric: the first of each suite unless it is named."""
    pairs: list[tuple[Analysis, Grid]] = []
    for each in results.suites:
        metrics: Sequence[str] = each.metrics if metric is None else [metric]
        analysis = Analysis(each, Settings(metrics=tuple(metrics[:1])))
        pairs += [(analysis, grid) for grid in analysis.grids]
    return pairs


def _table(analysis: Analysis, grid: Grid) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in (grid.axis_title, *grid.headings))
    rows = "".join(
        f"<tr><th>{escape(algorithm)}</th>"
        + "".join(_cell(analysis, grid, row.get(str(value))) for value in grid.columns)
        + "</tr>"
        for algorithm, row in grid.rows.items()
    )
    return f"<table><caption>{escape(grid.title)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(analysis: Analysis, grid: Grid, point: Any) -> str:
    text = escape(cell_text(point, analysis.settings.spread, analysis.mark(point)))
    return f"<td><b>{text}</b></td>" if point is not None and grid.is_best(point) else f"<td>{text}</td>"
