"""A run's tables for the terminal; each fits the width, broken by columns where it must be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from benchkit.report.analysis import Analysis
from benchkit.report.formatting import breakdown_text, cell_text, number, p_value, rank_text
from benchkit.report.grid import Grid

OUTCOME_STYLES = {"reproduced": "green", "not reproduced": "bold red", "not run": "yellow"}


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", show_edge=True)


def metric_tables(analysis: Analysis, width: int = 80) -> Iterator[Table]:
    """Means along the axis, a table per metric, dataset and adversary."""
    for grid in analysis.grids:
        names = grid.headings
        cells = {
            algorithm: [
                cell_text(point := row.get(str(value)), analysis.settings.spread, analysis.mark(point))
                for value in grid.columns
            ]
            for algorithm, row in grid.rows.items()
        }
        widths = [
            max([len(name), *(len(texts[place]) for texts in cells.values())]) + 3 for place, name in enumerate(names)
        ]
        label = max([len(grid.axis), *map(len, cells)]) + 3
        for part, columns in enumerate(_fitting(widths, width - label - 1)):
            table = _table(f"{grid.title} (continued)" if part else grid.title)
            # Widths that are known need not be measured, which is half of the work of a long report.
            table.add_column(grid.axis, no_wrap=True, width=label - 3)
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
        table.add_column(f"{grid.axis} at which {grid.metric} passes {number(curves[0].level)}", justify="right")
        table.add_column("worst rank", justify="right")
        for curve in curves:
            area = "-" if curve.area is None else number(curve.area)
            if curve.area_stderr is not None:
                area += f" ±{number(curve.area_stderr)}"
            table.add_row(Text(curve.algorithm), area, breakdown_text(curve.breakdown), rank_text(curve.worst_rank))
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


def comparison_tables(analysis: Analysis) -> Iterator[Table]:
    """Differences from the baseline at every point, with tests and effect size."""
    for grid in analysis.grids:
        table = _table(f"Against {analysis.settings.baseline}: {grid.title}")
        table.add_column(grid.axis, justify="right", no_wrap=True)
        for name in ("algorithm", "difference", "95 % interval", "p", "p Holm", "p t-test", "dz"):
            table.add_column(name, justify="left" if name == "algorithm" else "right", no_wrap=name != "algorithm")
        for value, name in zip(grid.columns, grid.headings, strict=True):
            for point in grid.column(value):
                found = analysis.comparison(point)
                if found is not None:
                    interval = f"[{number(found.low)}, {number(found.high)}]" if found.n > 1 else "-"
                    p = [p_value(found.wilcoxon), p_value(found.holm), p_value(found.t_test)]
                    effect = f"{found.dz:+.2f}" if found.dz == found.dz else "-"
                    table.add_row(name, Text(point.algorithm), number(found.difference), interval, *p, effect)
        if table.row_count:
            yield table


def claims_table(analysis: Analysis) -> Table | None:
    """The paper's claims beside what was found."""
    if not analysis.verdicts:
        return None
    table = _table("Claims")
    table.add_column("verdict")
    table.add_column("claim, what was expected, and what was found")
    for verdict in analysis.verdicts:
        source = f" ({verdict.source})" if verdict.source else ""
        text = Text(f"{verdict.claim}{source}\n")
        text.append(verdict.summary, style="dim")
        table.add_row(Text(verdict.outcome, style=OUTCOME_STYLES[verdict.outcome]), text)
    return table
