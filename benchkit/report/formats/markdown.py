"""A run's tables as markdown."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.report.analysis import Analysis
from benchkit.report.formatting import breakdown_text, cell_text, number, rank_text
from benchkit.report.grid import Grid
from benchkit.report.neutral import markdown_text
from benchkit.report.questions.wording import HEADER, TITLE, question_lines, question_rows


def markdown(analysis: Analysis) -> str:
    """All tables as markdown, the best of each column in bold."""
    results = analysis.results
    lines = [f"# {markdown_text(results.title or results.suite)}", ""]
    lines += [f"- {markdown_text(answer)}" for answer in analysis.answers] + [""] * bool(analysis.answers)
    for grid in analysis.grids:
        lines += [f"## {markdown_text(grid.title)}", "", *_metric_table(analysis, grid), ""]
        lines += _robustness(analysis, grid)
    lines += [f"{markdown_text(note)}.  " for note in analysis.notes] + [""] * bool(analysis.notes)
    for metric, adversary, ranking in analysis.rankings:
        lines += [f"## Ranks over {len(ranking.datasets)} datasets: {metric}, {markdown_text(adversary)}", ""]
        rows = zip(ranking.algorithms, ranking.ranks, ranking.wins, ranking.ties, ranking.losses, strict=True)
        body = [[name, f"{rank:.2f}", *map(str, duels)] for name, rank, *duels in rows]
        lines += [
            *table(["algorithm", "average rank", "wins", "ties", "losses"], body),
            "",
            markdown_text(ranking.summary),
            "",
        ]
    if analysis.verdicts:
        body = [[v.outcome, v.claim, v.source, v.summary] for v in analysis.verdicts]
        shown = table(["verdict", "claim", "source", "evidence"], body, numbers=False)
        lines += ["## Claims", "", *shown, "", analysis.claims_note, ""]
    if analysis.questions:
        shown = table(HEADER, question_rows(analysis.questions, results), numbers=False)
        under = [f"- {markdown_text(line)}" for line in question_lines(analysis.questions, results)]
        lines += [f"## {TITLE}", "", *shown, "", *under, ""]
    for title, section in results.sections():
        body = [["-" if entry is None else str(entry) for entry in row] for row in section.rows]
        rows_shown = [*table(section.columns, body, numbers=False), ""] if section.columns else []
        note = [markdown_text(section.note), ""] if section.note else []
        lines += [f"## {markdown_text(title)}", "", *rows_shown, *note]
    problems = results.problems()
    if problems:
        lines += ["## Trials that did not end ok", "", *_bullets(problems), ""]
    return "\n".join(lines)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = True) -> list[str]:
    """Lines of a markdown table; columns after the first are numbers, unless said otherwise."""
    rule = "|---|" + ("---:|" if numbers else "---|") * (len(header) - 1)
    lines = ["| " + " | ".join(map(markdown_text, header)) + " |", rule]
    return lines + ["| " + " | ".join(map(markdown_text, row)) + " |" for row in rows]


def _bullets(problems: Sequence[tuple[int, str]]) -> list[str]:
    return [f"- {count} x {markdown_text(name)}" for count, name in problems]


def _metric_table(analysis: Analysis, grid: Grid) -> list[str]:
    body = []
    for algorithm, row in grid.rows.items():
        texts = [algorithm]
        for value in grid.columns:
            point = row.get(str(value))
            text = cell_text(point, analysis.settings.spread, analysis.mark(point).replace("*", "\\*"))
            texts.append(f"**{text}**" if point is not None and grid.is_best(point) else text)
        body.append(texts)
    return table([grid.axis_title, *grid.headings], body)


def _robustness(analysis: Analysis, grid: Grid) -> list[str]:
    curves = analysis.robustness(grid)
    if not curves:
        return []
    passes = f"{grid.axis_title} at which it passes {number(curves[0].level)}"
    header = ["algorithm", "mean over axis", passes, "worst rank"]
    body = []
    for curve in curves:
        area = "-" if curve.area is None else number(curve.area)
        body.append([curve.algorithm, area, breakdown_text(curve.breakdown), rank_text(curve.worst_rank)])
    return [*table(header, body), "", f"{markdown_text(analysis.robustness_note)}.", ""]


def summary(analysis: Analysis) -> str:
    """Verdicts, what is to be said under the tables, and what went wrong: what a reader looks at first."""
    lines = [f"# {markdown_text(analysis.results.title or analysis.results.suite)}", ""]
    if analysis.verdicts:
        rows = [[verdict.outcome, verdict.claim, verdict.source, verdict.summary] for verdict in analysis.verdicts]
        lines += [*table(["verdict", "claim", "source", "evidence"], rows, numbers=False), ""]
    lines += [f"- {markdown_text(note)}" for note in analysis.notes]
    lines += _bullets(analysis.results.problems()[:10])
    return "\n".join(lines).rstrip("\n") + "\n"
