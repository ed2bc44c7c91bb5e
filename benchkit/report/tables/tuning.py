"""What tuning cost each algorithm, and what it bought."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.formatting import number
from benchkit.report.tuning_cost import TuningCost

NOTE = (
    "judged: candidates that a trial judged, each round of halving counted; seconds: median over trials; stopped: "
    "trials whose search the suite's tuning_seconds ended. Seconds compare within a run only."
)


def tuning(analysis: Analysis) -> list[ReportTable]:
    """For each dataset under each adversary a row for each algorithm that tuned."""
    return [
        ReportTable(
            title=f"{dataset} under {adversary}",
            columns=["algorithm", "trials", "judged", "seconds", "most", "stopped", analysis.metrics[0]],
            rows=[_row(cost) for cost in costs],
            align=("left", *["right"] * 6),
            note=NOTE,
        )
        for (dataset, adversary), costs in analysis.tuning_costs.items()
    ]


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
