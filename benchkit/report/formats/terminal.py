"""A run's tables for the terminal; each fits the width, broken by columns where it must be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from benchkit.report.analysis import Analysis
from benchkit.report.formatting import breakdown_text, cell_text, interval_text, number, p_value, rank_text
from benchkit.report.grid import Grid
from benchkit.report.statistics.comparisons import Comparison

BEST = "> "
"""Stands before the best of each column where bold type cannot be seen: on a pipe, in a file, without colour."""

OUTCOME_STYLES = {"supported": "green", "contradicted": "bold red", "undecided": "yellow", "not run": "dim"}


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", show_edge=True)


def metric_tables(analysis: Analysis, width: int = 80, bold: bool = True) -> Iterator[Table]:
    """Means along the axis, a table per metric, dataset and adversary.

    Parameters
    ----------
    analysis : Analysis
    width : int, default=80
        Of the terminal, in characters.
    bold : bool, default=True
        Whether the reader sees bold type and colour; if not, `BEST` stands before the best of each column.
    """
    for grid in analysis.grids:
        names = grid.headings
        cells = {
            algorithm: [
                ("" if bold or point is None or not grid.is_best(point) else BEST)
                + cell_text(point, analysis.settings.spread, analysis.mark(point))
                for point in (row.get(str(value)) for value in grid.columns)
            ]
            for algorithm, row in grid.rows.items()
        }
        widths = [
            max([len(name), *(len(texts[place]) for texts in cells.values())]) + 3 for place, name in enumerate(names)
        ]
        label = max([len(grid.axis_title), *map(len, cells)]) + 3
        for part, columns in enumerate(_fitting(widths, width - label - 1)):
            table = _table(f"{grid.title} (continued)" if part else grid.title)
            # Widths that are known need not be measured, which is half of the work of a long report.
            table.add_column(grid.axis_title, no_wrap=True, width=label - 3)
            for place in columns:
                table.add_column(names[place], justify="right", no_wrap=True, width=widths[place] - 3)
            # A cell per column: laying out one per number is what a long report would spend most of its time on.
            lines = Text("\n")
            stacked = [lines.join(_cell(grid, name, place, cells[name][place]) for name in cells) for place in columns]
            table.add_row(lines.join(Text(name) for name in cells), *stacked)
            yield table


def _cell(grid: Grid, algorithm: str, place: int, text: str) -> Text:
    point = grid.rows[algorithm].get(str(grid.columns[place]))
    if point is not None and grid.is_best(point):
        return Text(text, style="bold green")
    return Text(text, style="yellow" if point is not None and point.failed else "")


def _fitting(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Consecutive columns that fit into the room, at least one at a time."""
    chunk: list[int] = []
    used = 0
    for position, width in enumerate(widths):
        if chunk and used + width > room:
            yield chunk
            chunk, used = [], 0
        chunk.append(position)
        used += width
    if chunk:
        yield chunk


def robustness_tables(analysis: Analysis) -> Iterator[Table]:
    """Each curve in numbers: area, breakdown point, worst rank."""
    for grid in analysis.grids:
        curves = analysis.robustness(grid)
        if not curves:
            continue
        table = _table(f"Robustness: {grid.title}")
        table.add_column("algorithm", no_wrap=True)
        table.add_column("mean over axis", justify="right")
        table.add_column(f"{grid.axis_title} at which {grid.metric} passes {number(curves[0].level)}", justify="right")
        table.add_column("worst rank", justify="right")
        for curve in curves:
            area = "-" if curve.area is None else number(curve.area)
            if curve.area_stderr is not None:
                area += f" ±{number(curve.area_stderr)}"
            table.add_row(Text(curve.algorithm), area, breakdown_text(curve.breakdown), rank_text(curve.worst_rank))
        table.caption, table.caption_justify = analysis.robustness_note, "left"
        yield table


def ranking_tables(analysis: Analysis) -> Iterator[Table]:
    """Algorithms over datasets, with Friedman's test and the critical difference below."""
    for metric, adversary, ranking in analysis.rankings:
        under = f" under {adversary}" if adversary != "none" else ""
        table = _table(f"Ranks over {len(ranking.datasets)} datasets: {metric}{under}")
        for name in ("algorithm", "average rank", "wins", "ties", "losses"):
            table.add_column(name, justify="left" if name == "algorithm" else "right", no_wrap=True)
        rows = zip(ranking.algorithms, ranking.ranks, ranking.wins, ranking.ties, ranking.losses, strict=True)
        for name, rank, *duels in rows:
            table.add_row(Text(name), f"{rank:.2f}", *map(str, duels))
        table.caption = ranking.summary
        table.caption_justify = "left"
        yield table


def comparison_tables(analysis: Analysis, width: int = 80) -> Iterator[Table]:
    """Differences from the baseline at every point, with tests and effect size.

    Parameters
    ----------
    analysis : Analysis
    width : int, default=80
        Of the terminal, in characters.
    """
    for grid in analysis.grids:
        rows = [
            [name, point.algorithm, *_compared(analysis, grid, compared)]
            for value, name in zip(grid.columns, grid.headings, strict=True)
            for point in grid.column(value)
            if (compared := analysis.comparison(point)) is not None
        ]
        if not rows:
            continue
        header = [grid.axis_title, "algorithm", "difference", "95 % interval", "p Wilcoxon", "p t-test", "p Holm", "dz"]
        if grid.metric in analysis.margins:
            header += [f"by {analysis.margins[grid.metric]:g}", "P(better, equivalent, worse)"]
        widths = [max(map(len, texts)) + 3 for texts in zip(header, *rows, strict=True)]
        named = widths[:2]
        for part, columns in enumerate(_fitting(widths[2:], width - sum(named) - 1)):
            title = f"Against {analysis.settings.baseline}: {grid.title}"
            table = _table(f"{title} (continued)" if part else title)
            places = [0, 1, *(place + 2 for place in columns)]
            for place in places:
                table.add_column(header[place], justify="left" if place == 1 else "right", no_wrap=True)
            for row in rows:
                table.add_row(*(Text(row[place]) for place in places))
            yield table


def _compared(analysis: Analysis, grid: Grid, compared: Comparison) -> list[str]:
    p = [p_value(compared.wilcoxon), p_value(compared.t_test), p_value(compared.holm)]
    effect = f"{compared.dz:+.2f}" if compared.dz == compared.dz else "-"
    numbers = [number(compared.difference), interval_text(compared.low, compared.high), *p, effect]
    if grid.metric not in analysis.margins:
        return numbers
    chances = compared.probabilities
    return [
        *numbers,
        compared.relation or "-",
        "-" if chances is None else ", ".join(f"{each:.2f}" for each in chances),
    ]


def claims_table(analysis: Analysis) -> Table | None:
    """The paper's claims beside what was measured."""
    if not analysis.verdicts:
        return None
    table = _table("Claims")
    table.add_column("verdict")
    table.add_column("claim, what was expected, and what was measured")
    for verdict in analysis.verdicts:
        source = f" ({verdict.source})" if verdict.source else ""
        text = Text(f"{verdict.claim}{source}\n")
        text.append(verdict.summary, style="dim")
        table.add_row(Text(verdict.outcome, style=OUTCOME_STYLES[verdict.outcome]), text)
    table.caption, table.caption_justify = analysis.claims_note, "left"
    return table
