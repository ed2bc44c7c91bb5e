"""Claims and their verdicts. This file alone knows what a verdict says of itself; tables choose of its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.claims.verdict import Verdict

_EMPHASIS = {"supported": "good", "contradicted": "bad", "undecided": "open", "not run": "open"}


def _verdict(verdict: Verdict) -> ReportCell:
    return ReportCell(verdict.outcome, emphasis=f"badge {_EMPHASIS[verdict.outcome]}")


def _with_source(verdict: Verdict) -> str:
    return f"{verdict.claim} ({verdict.source})" if verdict.source else verdict.claim


def _with_paper(verdict: Verdict) -> str:
    return verdict.expected + (f" (paper: {verdict.paper})" if verdict.paper else "")


def _measured(verdict: Verdict) -> str:
    """The numbers, and what is said beside them: what would decide, where all are at chance, a likely reason."""
    said = [verdict.evidence]
    said += [verdict.lacking] if verdict.outcome == "undecided" else []
    said += [f"at chance, which proves nothing: {', '.join(verdict.at_chance)}"] if verdict.at_chance else []
    said += [f"Reason: {verdict.explanation}"] if verdict.outcome == "contradicted" and not verdict.control else []
    return ". ".join(text for text in said if text)


def _ours(verdict: Verdict) -> str:
    return "; ".join(text for text in (verdict.evidence, verdict.lacking) if text)


def _points(verdict: Verdict) -> ReportCell:
    tally = f"{verdict.supported} / {verdict.contradicted} / {verdict.undecided}" if verdict.points else "-"
    return ReportCell(tally, verdict.contradicted + verdict.undecided)


# What a table may show of a verdict: heading, alignment, and what stands below it.
_COLUMNS: Mapping[str, tuple[str, str | float, Callable[[Verdict], str | ReportCell]]] = {
    "verdict": ("verdict", "left", _verdict),
    "claim": ("claim", 0.3, lambda verdict: verdict.claim),
    "claim with source": ("claim", 0.45, _with_source),
    "source": ("source", 0.15, lambda verdict: verdict.source),
    "paper": ("paper", 0.1, lambda verdict: verdict.paper),
    "expected": ("expected", 0.2, lambda verdict: verdict.expected),
    "expected with paper": ("expected", 0.2, _with_paper),
    "evidence": ("evidence", 0.35, lambda verdict: verdict.summary),
    "measured": ("measured", 0.35, _measured),
    "ours": ("ours", 0.35, _ours),
    "reason": ("reason", 0.3, lambda verdict: verdict.explanation if verdict.outcome == "contradicted" else ""),
    "points": ("points supported / contradicted / undecided", "right", _points),
}
BRIEF = ("verdict", "claim", "source", "evidence")
FOR_TERMINALS = ("verdict", "claim with source", "evidence")
IN_FULL = ("verdict", "claim", "source", "expected with paper", "measured", "points")
BESIDE_THE_PAPER = ("verdict", "claim", "source", "paper", "expected", "ours", "reason")


def claims(
    verdicts: Sequence[Verdict], columns: Sequence[str] = BRIEF, note: str = "", suites: Sequence[str] = ()
) -> ReportTable | None:
    """A row for each verdict; None where there is none.

    Parameters
    ----------
    verdicts : sequence of Verdict
    columns : sequence of str
        `BRIEF`, `FOR_TERMINALS`, `IN_FULL`, `BESIDE_THE_PAPER`, or others of these names.
    note : str, default=""
        What claims are judged by.
    suites : sequence of str, default=()
        The suite of each verdict, where they are of several.
    """
    if not verdicts:
        return None
    shown, align, entries = (list(part) for part in zip(*(_COLUMNS[name] for name in columns), strict=True))
    rows = [[entry(verdict) for entry in entries] for verdict in verdicts]
    if suites:
        shown, align = [shown[0], "suite", *shown[1:]], [align[0], "left", *align[1:]]
        rows = [[row[0], suite, *row[1:]] for suite, row in zip(suites, rows, strict=True)]
    return ReportTable(title="Claims", columns=shown, rows=rows, align=align, note=note)
