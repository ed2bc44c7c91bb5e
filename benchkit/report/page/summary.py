"""What a colleague reads first: how much was run, how it ended, which claims stand, who is ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from statistics import fmean
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.claims.verdict import Verdict
from benchkit.report.formatting import breakdown_text, number, rank_text
from benchkit.report.grid import Grid
from benchkit.report.page.section import Cell, Row, Section, details, table
from benchkit.report.questions.wording import HEADER, TITLE, question_lines, question_rows
from benchkit.report.statistics.robustness import Robustness, best_area

_OPEN = 12


def summary(analysis: Analysis, manifest: Mapping[str, Any]) -> Section:
    """Tiles, description, cautions."""
    results = analysis.results
    ended = len(results.own_rows)
    beside = len(results.rows) - ended
    statuses = Counter(row["status"] for row in results.own_rows)
    ok = statuses["ok"]
    tiles = [("trials", f"{ended:,}" if results.planned in (None, ended) else f"{ended:,} of {results.planned:,}", "")]
    tiles.append(("ended ok", f"{ok:,}", "good" if ok == ended else ""))
    tiles += [("published rows", f"{beside:,}", "")] if beside else []
    tiles += [(status, f"{count:,}", "bad") for status, count in statuses.most_common() if status != "ok"]
    if analysis.verdicts:
        counts = Counter(verdict.outcome for verdict in analysis.verdicts)
        held, broken = counts["supported"], counts["contradicted"]
        kind = "good" if held == len(analysis.verdicts) else "bad" if broken else ""
        tiles.append(("claims supported", f"{held} of {len(analysis.verdicts)}", kind))
        tiles += [("claims contradicted", str(broken), "bad")] if broken else []
        tiles += [("claims undecided", str(counts["undecided"]), "")] if counts["undecided"] else []
    repetitions = len({row["repetition"] for row in results.rows})
    tiles += [("algorithms", str(len(analysis.algorithms)), ""), ("repetitions", str(repetitions), "")]
    shown = "".join(
        f'<div class="tile {kind}"><b>{escape(value)}</b><span>{escape(name)}</span></div>'
        for name, value, kind in tiles
    )
    suite = manifest.get("suite_as_run", {})
    said = [str(suite[key]).strip() for key in ("source", "description") if suite.get(key)]
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in said)
    answers = "".join(f'<p class="answer">{escape(text)}.</p>' for text in analysis.answers)
    cautions = "".join(f'<p class="caution">{escape(text)}.</p>' for text in analysis.cautions)
    return Section("Summary", f'<div class="tiles">{shown}</div>{paragraphs}{answers}{_overview(analysis)}{cautions}')


def _overview(analysis: Analysis) -> str:
    """Mean over the axis, algorithms x panels: who is ahead where, in one look."""
    parts = []
    for metric in analysis.metrics:
        grids = [grid for grid in analysis.grids if grid.metric == metric][:_OPEN]
        shown = [(grid, curves) for grid in grids if best_area(curves := analysis.robustness(grid), False) is not None]
        if not shown:
            continue
        names = sorted(analysis.algorithms, key=lambda name: _standing(name, shown))
        rows: list[Row] = [[name, *(_area(*panel, name) for panel in shown)] for name in names]
        html = table([f"mean {metric} over the axis", *(grid.panel for grid, _ in shown)], rows)
        parts.append(f'<div class="overview">{html}</div>')
    return "".join(parts) + (_note(analysis) if parts else "")


def _note(analysis: Analysis) -> str:
    return f'<p class="note">{escape(analysis.robustness_note)}.</p>'


def _standing(algorithm: str, shown: Sequence[tuple[Grid, Sequence[Robustness]]]) -> tuple[int, float]:
    """Best first: by the mean over the panels, after those that are missing in fewer."""
    areas = [
        curve.area * (-1.0 if grid.greater_is_better else 1.0)
        for grid, curves in shown
        for curve in curves
        if curve.algorithm == algorithm and curve.area is not None
    ]
    return len(shown) - len(areas), fmean(areas) if areas else 0.0


def _area(grid: Grid, curves: Sequence[Robustness], algorithm: str) -> Cell:
    area = next((curve.area for curve in curves if curve.algorithm == algorithm), None)
    if area is None:
        return Cell("-")
    kind = "best" if area == best_area(curves, grid.greater_is_better) else ""
    return Cell(number(area), area, kind, grid.title)


def claims(analysis: Analysis) -> Section | None:
    """The paper beside ours."""
    if not analysis.verdicts:
        return None
    rows: list[Row] = []
    kinds = {"supported": "good", "contradicted": "bad", "undecided": "open", "not run": "open"}
    for verdict in analysis.verdicts:
        tally = f"{verdict.supported} / {verdict.contradicted} / {verdict.undecided}" if verdict.points else "-"
        rows.append(
            [
                Cell(verdict.outcome, kind=f"badge {kinds[verdict.outcome]}"),
                verdict.claim,
                verdict.source,
                verdict.expected + (f" (paper: {verdict.paper})" if verdict.paper else ""),
                verdict.evidence + _why(verdict),
                Cell(tally, order=verdict.contradicted + verdict.undecided),
            ]
        )
    header = ["verdict", "claim", "source", "expected", "measured", "points supported / contradicted / undecided"]
    return Section("Claims", table(header, rows, "claims") + f'<p class="note">{escape(analysis.claims_note)}</p>')


def questions(analysis: Analysis) -> Section | None:
    """What is decided, and what is open of a run whose repetitions go on until that is so."""
    if not analysis.questions:
        return None
    results = analysis.results
    lines = question_lines(analysis.questions, results)
    notes = "".join(f'<p class="note">{escape(line)}.</p>' for line in lines)
    return Section(TITLE, table(HEADER, question_rows(analysis.questions, results)) + notes)


def _why(verdict: Verdict) -> str:
    """What is said beside the numbers: what would decide, where all are at chance, a likely reason."""
    said = [verdict.lacking] if verdict.outcome == "undecided" else []
    if verdict.at_chance:
        said.append(f"at chance, which proves nothing: {', '.join(verdict.at_chance)}")
    if verdict.outcome == "contradicted" and not verdict.control:
        said.append(f"Reason: {verdict.explanation}")
    return "".join(f". {text}" for text in said if text)


def robustness(analysis: Analysis) -> Section | None:
    """Each curve in numbers, a table per panel."""
    parts = []
    grids = [grid for grid in analysis.grids if analysis.robustness(grid)]
    for grid in grids:
        curves = analysis.robustness(grid)
        best = best_area(curves, grid.greater_is_better)
        rows: list[Row] = []
        for curve in curves:
            error = "" if curve.area_stderr is None else f" ±{number(curve.area_stderr)}"
            area = "-" if curve.area is None else number(curve.area) + error
            kind = "best" if curve.area is not None and curve.area == best else ""
            rows.append(
                [
                    curve.algorithm,
                    Cell(area, order=curve.area, kind=kind),
                    Cell(breakdown_text(curve.breakdown), order=curve.breakdown),
                    Cell(rank_text(curve.worst_rank), order=curve.worst_rank),
                ]
            )
        passes = f"{grid.axis_title} at which {grid.metric} passes {number(curves[0].level)}"
        html = table(["algorithm", "mean over axis", passes, "worst rank"], rows)
        parts.append(details(grid.title, html, len(grids) <= _OPEN))
    if not parts:
        return None
    note = (
        '<p class="note">Mean over axis: the area under the curve over the length of the axis. The level of the '
        "breakdown point is half-way between the best and the worst mean of the panel unless it was chosen.</p>"
    )
    return Section("Robustness in numbers", f'<div class="columns">{"".join(parts)}</div>{note}{_note(analysis)}')


def ranks(analysis: Analysis) -> Section | None:
    """Algorithms over datasets."""
    parts = []
    for metric, adversary, ranking in analysis.rankings:
        columns = zip(ranking.algorithms, ranking.ranks, ranking.wins, ranking.ties, ranking.losses, strict=True)
        rows: list[Row] = [
            [name, Cell(f"{rank:.2f}", rank), *(Cell(str(n), n) for n in duels)] for name, rank, *duels in columns
        ]
        html = table(["algorithm", "average rank", "wins", "ties", "losses"], rows)
        title = f"{metric} under {adversary}, {len(ranking.datasets)} datasets"
        parts.append(details(title, f'{html}<p class="note">{escape(ranking.summary)}</p>', opened=True))
    return Section("Ranks over datasets", f'<div class="columns">{"".join(parts)}</div>') if parts else None
