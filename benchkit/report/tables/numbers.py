"""Numbers that a paper prints with their standard errors, beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.claims.check import Number
from benchkit.report.claims.verdict import Verdict
from benchkit.statistics.estimate import LEVEL


def numbers(verdicts: Sequence[Verdict]) -> ReportTable | None:
    """A row for each verdict on a printed number that was judged, and a line on all of them; None where there is none.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Those without a number are left out.
    """
    judged = [(verdict, verdict.number) for verdict in verdicts if verdict.number is not None]
    if not judged:
        return None
    rows = [
        [
            verdict.claim,
            f"{number.theirs:.4g}" + (f" ± {number.their_error:.2g}" if number.their_error else ""),
            f"{number.ours:.4g} ± {number.our_error:.2g}",
            f"{number.difference:+.3g} [{number.low:+.3g}, {number.high:+.3g}]",
            verdict.repetitions,
            _consistent(verdict),
            "" if verdict.outcome != "contradicted" else verdict.explanation,
        ]
        for verdict, number in judged
    ]
    return ReportTable(
        title="Numbers",
        columns=["number", "theirs", "ours", "ours - theirs", "repetitions", "consistent", "reason"],
        rows=rows,
        align=(0.25, "right", "right", "right", "right", "left", 0.3),
        note=on_the_whole([number for verdict, number in judged if verdict.outcome in ("supported", "contradicted")]),
    )


def _consistent(verdict: Verdict) -> ReportCell:
    words = {"supported": "yes", "contradicted": "no"}
    emphasis = {"supported": "badge good", "contradicted": "badge bad"}
    return ReportCell(words.get(verdict.outcome, "open"), emphasis=emphasis.get(verdict.outcome, "badge open"))


def on_the_whole(judged: Sequence[Number]) -> str:
    """All numbers in one line: how many are consistent, and to which side ours lie."""
    if not judged:
        return ""
    consistent = sum(number.consistent for number in judged)
    higher = sum(number.difference > 0 for number in judged)
    told = f"Of {len(judged)} numbers {consistent} are consistent with the paper's"
    told += f" (of as many equal ones about {(1 - LEVEL) * len(judged):.1f} would not be)"
    told += f"; {higher} of ours are higher, {len(judged) - higher} are not"
    if all(abs(number.theirs) <= 1 for number in judged) and max(abs(number.theirs) for number in judged) > 1e-3:
        told += f"; the mean of ours minus theirs is {100 * fmean(each.difference for each in judged):+.1f} points"
    return told + "."
