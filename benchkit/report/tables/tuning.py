"""What tuning cost each algorithm, and what it bought."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.formatting import number
from benchkit.report.tuning_cost import TuningCost

NOTE = (
    "judged: candidates that a trial judged, each round of halving counted; seconds: median over trials; stopped: "
    "trials whose search the suite's tuning_seconds ended. Seconds compare within a run only."
)


def tuning(costs: Sequence[TuningCost], dataset: str, adversary: str, metric: str) -> ReportTable:
    """One dataset under one adversary: a row for each algorithm that tuned."""
    return ReportTable(
        title=f"{dataset} under {adversary}",
        columns=["algorithm", "trials", "judged", "seconds", "most", "stopped", metric],
        rows=[_row(cost) for cost in costs],
        align=("left", *["right"] * 6),
    )


def _row(cost: TuningCost) -> list[str | ReportCell]:
    low, middle, high = cost.judged
    return [
        cost.algorithm,
        ReportCell(str(cost.trials), cost.trials),
        ReportCell(f"{middle:g}" if low == high else f"{middle:g} ({low} to {high})", middle),
        *(ReportCell(f"{seconds:.3g}", seconds) for seconds in cost.seconds),
        ReportCell(str(cost.stopped), cost.stopped),
        ReportCell(number(cost.score), cost.score),
    ]
