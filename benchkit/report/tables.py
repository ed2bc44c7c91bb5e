"""Tables of a run: for the terminal, as markdown and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from benchkit.report.results import Results
from benchkit.report.statistics import Point
from benchkit.suite.plan import dataset_name


@dataclass(frozen=True)
class Grid:
    """Algorithms x axis of one metric, dataset and adversary."""

    title: str
    axis: str
    metric: str
    columns: Sequence[Any]
    rows: Mapping[str, Mapping[str, Point]]
    best: Mapping[str, float]

    def is_best(self, point: Point) -> bool:
        """Whether a point has the best mean of its column."""
        return point.mean is not None and point.mean == self.best.get(str(point.axis_value))


def grids(results: Results) -> Iterator[Grid]:
    """The run's points arranged in tables."""
    arranged: dict[tuple[str, ...], list[Point]] = {}
    for point in results.points():
        params = json.dumps(dict(point.dataset_params), sort_keys=True, default=str)
        arranged.setdefault((point.metric, point.dataset, params, point.adversary), []).append(point)
    several = len(results.metrics) > 1
    for (metric, _, _, _), points in arranged.items():
        yield _grid(points, metric, results.greater_is_better[metric], several)


def _grid(points: Sequence[Point], metric: str, greater_is_better: bool, several: bool) -> Grid:
    first = points[0]
    columns = list({str(point.axis_value): point.axis_value for point in points}.values())
    rows: dict[str, dict[str, Point]] = {}
    best: dict[str, float] = {}
    for point in points:
        column = str(point.axis_value)
        rows.setdefault(point.algorithm, {})[column] = point
        if point.mean is not None:
            pick = max if greater_is_better else min
            best[column] = pick(best.get(column, point.mean), point.mean)
    name = dataset_name(first.dataset, first.dataset_params)
    title = f"{metric} on {name}" + (f" under {first.adversary}" if first.adversary != "none" else "")
    return Grid(title, first.axis, metric, columns, rows, best)


def _heading(value: Any, points: Iterable[Point]) -> str:
    if value is None:
        return "-"
    shares = [point for point in points if point.axis == "budget" and point.budget not in (None, value)]
    if isinstance(value, float):
        return f"{value:.0%}" if shares else f"{value:g}"
    return str(value)


def cell_text(point: Point | None) -> str:
    """Mean, standard error, and how many repetitions failed, as shown in tables."""
    if point is None:
        return "-"
    if point.mean is None:
        return f"0 of {point.failed}"
    text = _number(point.mean)
    if point.stderr is not None:
        text += f" ±{_number(point.stderr)}"
    if point.failed:
        text += f" ({point.n} of {point.n + point.failed})"
    return text


def _number(value: float) -> str:
    """Three decimals, where they say something."""
    if value != 0 and not 0.0005 <= abs(value) < 1000:
        return f"{value:.2g}" if abs(value) < 1 else f"{value:.4g}"
    return f"{value:.3f}"


def headings(grid: Grid) -> list[str]:
    """Column headings along the axis."""
    return [_heading(value, _column(grid, value)) for value in grid.columns]


def _column(grid: Grid, value: Any) -> list[Point]:
    return [row[str(value)] for row in grid.rows.values() if str(value) in row]


def rich_tables(results: Results, width: int = 80) -> Iterator[Table]:
    """Tables for the terminal, broken by columns so that each fits the width."""
    for grid in grids(results):
        names = headings(grid)
        cells = {a: [cell_text(row.get(str(value))) for value in grid.columns] for a, row in grid.rows.items()}
        widths = [
            max([len(name), *(len(texts[position]) for texts in cells.values())]) + 3
            for position, name in enumerate(names)
        ]
        label = max([len(grid.axis), *map(len, cells)]) + 3
        for number, columns in enumerate(_fitting(widths, width - label - 1)):
            title = f"{grid.title} (continued)" if number else grid.title
            yield _rich_table(grid, title, names, cells, columns)


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


def _rich_table(
    grid: Grid, title: str, names: Sequence[str], cells: Mapping[str, Sequence[str]], columns: Sequence[int]
) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_edge=True)
    table.add_column(grid.axis, no_wrap=True)
    for position in columns:
        table.add_column(names[position], justify="right", no_wrap=True)
    for algorithm, row in grid.rows.items():
        line = [Text(algorithm)]
        for position in columns:
            point = row.get(str(grid.columns[position]))
            best = point is not None and grid.is_best(point)
            line.append(Text(cells[algorithm][position], style="bold green" if best else ""))
        table.add_row(*line)
    return table


def markdown(results: Results) -> str:
    """All tables as markdown, the best of each column in bold."""
    lines = [f"# {results.title or results.suite}", ""]
    for grid in grids(results):
        lines += [f"## {grid.title}", ""]
        lines.append("| " + " | ".join([grid.axis, *headings(grid)]) + " |")
        lines.append("|" + "---|" + "---:|" * len(grid.columns))
        for algorithm, row in grid.rows.items():
            texts = []
            for value in grid.columns:
                point = row.get(str(value))
                text = cell_text(point)
                texts.append(f"**{text}**" if point is not None and grid.is_best(point) else text)
            lines.append("| " + " | ".join([algorithm, *texts]) + " |")
        lines.append("")
    verdicts = results.verdicts()
    if verdicts:
        lines += ["## Claims", "", "| verdict | claim | source | evidence |", "|---|---|---|---|"]
        lines += [f"| {v.outcome} | {v.claim} | {v.source} | {v.evidence} |" for v in verdicts]
        lines.append("")
    problems = results.problems()
    if problems:
        lines += ["## Trials that did not end ok", "", *(f"- {count} x {name}" for count, name in problems), ""]
    return "\n".join(lines)


def csv_text(results: Results) -> str:
    """Every point as a line of CSV, with the fields of the JSON report."""
    rows = [point.to_dict() for point in results.points()]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(Point.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({**row, "dataset_params": json.dumps(dict(row["dataset_params"]), default=str)})
    return buffer.getvalue()


def json_text(results: Results) -> str:
    """Every point as JSON."""
    return json.dumps([point.to_dict() for point in results.points()], indent=1, default=str)


def write_tables(results: Results, folder: Path) -> None:
    """Write ``tables.md`` and ``points.csv`` into the run's folder."""
    (folder / "tables.md").write_text(markdown(results), encoding="utf-8")
    (folder / "points.csv").write_text(csv_text(results), encoding="utf-8")
