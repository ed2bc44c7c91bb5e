"""A run's tables as markdown."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.report.analysis import Analysis
from benchkit.report.formatting import breakdown_text, cell_text, number, rank_text
from benchkit.report.grid import Grid


def markdown(analysis: Analysis) -> str:
    """All tables as markdown, the best of each column in bold."""
    results = analysis.results
    lines = [f"# {results.title or results.suite}", ""]
    for grid in analysis.grids:
        lines += [f"## {grid.title}", "", *_metric_table(analysis, grid), ""]
        lines += _robustness(analysis, grid)
    lines += [f"{note}.  " for note in analysis.notes] + [""] * bool(analysis.notes)
    for metric, adversary, ranking in analysis.rankings:
        lines += [f"## Ranks over {len(ranking.datasets)} datasets: {metric}, {adversary}", ""]
        rows = zip(ranking.algorithms, ranking.ranks, ranking.wins, ranking.ties, ranking.losses, strict=True)
        body = [[name, f"{rank:.2f}", *map(str, duels)] for name, rank, *duels in rows]
        lines += [*table(["algorithm", "average rank", "wins", "ties", "losses"], body), "", ranking.summary, ""]
    if analysis.verdicts:
        body = [[v.outcome, v.claim, v.source, v.summary] for v in analysis.verdicts]
        lines += ["## Claims", "", *table(["verdict", "claim", "source", "evidence"], body, numbers=False), ""]
    problems = results.problems()
    if problems:
        lines += ["## Trials that did not end ok", "", *(f"- {count} x {name}" for count, name in problems), ""]
    return "\n".join(lines)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = True) -> list[str]:
    """Lines of a markdown table; columns after the first are numbers, unless said otherwise."""
    rule = "|---|" + ("---:|" if numbers else "---|") * (len(header) - 1)
    lines = ["| " + " | ".join(map(_escape, header)) + " |", rule]
    return lines + ["| " + " | ".join(map(_escape, row)) + " |" for row in rows]


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _metric_table(analysis: Analysis, grid: Grid) -> list[str]:
    body = []
    for algorithm, row in grid.rows.items():
        texts = [algorithm]
        for value in grid.columns:
            point = row.get(str(value))
            text = cell_text(point, analysis.settings.spread, analysis.mark(point).replace("*", "\\*"))
            texts.append(f"**{text}**" if point is not None and grid.is_best(point) else text)
        body.append(texts)
    return table([grid.axis, *grid.headings], body)


def _robustness(analysis: Analysis, grid: Grid) -> list[str]:
    curves = analysis.robustness(grid)
    if not curves:
        return []
    header = ["algorithm", "mean over axis", f"{grid.axis} at which it passes {number(curves[0].level)}", "worst rank"]
    body = []
    for curve in curves:
        area = "-" if curve.area is None else number(curve.area)
        body.append([curve.algorithm, area, breakdown_text(curve.breakdown), rank_text(curve.worst_rank)])
    return [*table(header, body), ""]
