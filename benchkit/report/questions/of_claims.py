"""A suite's claims as questions, judged on these rows by intervals that hold at every look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchkit.report.claims.check import Check
from benchkit.report.claims.examine import examine
from benchkit.report.claims.verdict import verdict_of
from benchkit.report.claims.yardstick import Yardstick
from benchkit.report.questions.question import OpenPart, RunQuestion
from benchkit.report.results import Results
from benchkit.report.statistics.kept_rows import KeptRows
from benchkit.report.statistics.points import UNLIMITED
from benchkit.statistics.estimate import FEWEST, LEVEL
from benchkit.statistics.out_of_reach import out_of_reach
from benchkit.statistics.time_uniform import sequential_estimate


def questions_of_claims(results: Results, kept: KeptRows) -> list[RunQuestion]:
    """One question for each claim of a suite; on new rows by those that were kept."""
    questions = []
    for claim in results.expectations:
        metric = claim.metric or results.metrics[0]
        limits = results.ranges.get(metric, UNLIMITED)
        yardstick = Yardstick(metric, results.greater_is_better.get(metric, False), limits, sequential_estimate)
        examined = examine(claim, yardstick, results.rows, metric in results.attack_order.get("metrics", ()))
        verdict = verdict_of(claim, metric, examined)
        decided = verdict.outcome in ("supported", "contradicted")
        unclear = [] if decided else [check for check in examined.checks if not check.supported]
        parts = tuple(_open_part(check, len(examined.checks)) for check in unclear if not check.settled_by_ties)
        tied = "; the methods tie exactly" if unclear and not parts else ""
        never, on_new_rows = _on_new_rows(examined.checks, metric, kept)
        questions.append(
            RunQuestion(
                text=verdict.claim,
                answer=f"{verdict.outcome}{tied}: {verdict.evidence}",
                decided=decided,
                cells=frozenset().union(*(check.basis.cells for check in examined.checks)),
                open_parts=parts,
                never_on_new_rows=never,
                new_rows=on_new_rows,
            )
        )
    return questions


def _open_part(check: Check, points: int) -> OpenPart:
    return OpenPart(check.evidence, check.basis.cells, check.measured.n, check.level(points))


def _on_new_rows(checks: Sequence[Check], metric: str, kept: KeptRows) -> tuple[tuple[str, ...], str]:
    """Evidence of the checks that no number of repetitions decides on new rows, and what all say there."""
    never = []
    supported = contradicted = 0
    shares_rows = False
    for check in checks:
        measured = check.basis.on_new_rows(metric, kept)
        if measured is None or not measured.sample.excess:  # fresh data: both questions are one
            continue
        shares_rows = True
        there = replace(check, measured=measured)
        outside = there.p_against <= (1 - LEVEL) / 2
        supported += there.supported
        contradicted += outside
        open_there = not there.supported and not outside and measured.n >= FEWEST and check.slack != 0
        if open_there and out_of_reach(measured, check.answers):
            never.append(check.evidence)
    count = len(checks)
    told = f"on new rows {supported} of {count} points supported, {contradicted} contradicted (each by itself)"
    return tuple(never), told if shares_rows else ""
