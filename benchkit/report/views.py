"""Results as a notebook shows them: the answer, a table, a figure, and all of it at a glance."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from benchkit.document import Block, Document, Note, Table, Text
from benchkit.document.charts import fit_text, styled
from benchkit.report.analysis import Analysis, SelectionError, Settings
from benchkit.report.grid import Grid
from benchkit.report.plots import figure_of
from benchkit.report.results import Results
from benchkit.report.slices import check_sliced
from benchkit.report.tables import means

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
        cells = means(analysis, grid).cells
        rows = {str(name): [str(each) if spread else each.value for each in row] for name, *row in cells}
        frame = pd.DataFrame.from_dict(rows, orient="index", columns=grid.columns)
        places = [(grid.name, grid.adversary, algorithm) for algorithm in frame.index]
        frame.index = pd.MultiIndex.from_tuples(places, names=["dataset", "adversary", "algorithm"])
        frame.columns.name = grid.axis
        frames.append(frame)
    if not frames:
        return pd.DataFrame()
    whole = pd.concat(frames)
    return whole[sorted(whole.columns)] if all(isinstance(name, int | float) for name in whole.columns) else whole


def by(results: Results, column: str, metric: str | None) -> pd.DataFrame:
    """The entries of the tables of `slices_table`."""
    import pandas as pd

    settings = Settings(metrics=None if metric is None else (metric,), by=column)
    analyses = [Analysis(each, settings) for each in results.suites]
    check_sliced(analyses)
    return pd.DataFrame(
        {
            "dataset": sliced.grid.name,
            "adversary": sliced.grid.adversary,
            "axis_value": sliced.value,
            "metric": sliced.grid.metric,
            "slice": entry.slice,
            "algorithm": entry.algorithm,
            **asdict(entry.mean),
            "holm": entry.holm,
        }
        for analysis in analyses
        for sliced in analysis.slices[0]
        for entry in sliced.entries
    )


def plot(results: Results, metric: str | None, dataset: str | None, adversary: str | None) -> Figure:
    """The curves of one panel, or of all that fit the choice in one figure."""
    pairs = _grids(results, metric)
    known = sorted({grid.panel for _, grid in pairs})
    pairs = [
        (analysis, grid)
        for analysis, grid in pairs
        if dataset in (None, grid.dataset, grid.name) and adversary in (None, grid.adversary)
    ]
    if not pairs:
        raise SelectionError(f"no such panel in this run; it has {', '.join(known) or 'none'}")
    with styled():
        figure = figure_of([grid for _, grid in pairs], pairs[0][0], columns=3, width=2.3)
        fit_text(figure)
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
    from benchkit.document.html import notebook  # Jinja2, which an answer does not wait for

    shown = _grids(results, None)
    blocks: list[Block] = [Text(line) for line in answer(results).splitlines()]
    blocks += [Table(means(analysis, grid)) for analysis, grid in shown[:_TABLES]]
    if len(shown) > _TABLES:
        blocks.append(Text(f"and {len(shown) - _TABLES} more tables: .table() has all"))
    notes = dict.fromkeys(note for analysis in dict.fromkeys(each for each, _ in shown) for note in analysis.notes)
    blocks += [Note(text) for text in (". ".join(notes), f"{ending(results)}; files in {results.folder}") if text]
    return notebook(Document(results.title or results.suite, blocks))


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
