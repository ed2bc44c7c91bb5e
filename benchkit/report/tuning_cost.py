"""What tuning cost each algorithm, and what it bought: the answer to "you tuned yours longer"."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from benchkit.document.text import number
from benchkit.journal import Record
from benchkit.journal.place import placed
from benchkit.plugin.declarations import ReportCell, ReportTable

if TYPE_CHECKING:
    from benchkit.report.analysis import Analysis

_STEPS = 40
"""Points in time, evenly in the logarithm, at which trajectories are taken together."""


@dataclass(frozen=True)
class TuningCost:
    """One algorithm on one dataset under one adversary, over its trials.

    Attributes
    ----------
    algorithm : str
    trials : int
        That ended ok and tuned.
    judged : tuple of (int, float, int)
        Fewest, median and most judgements of candidates in a trial; each candidate counts once in every round.
    seconds : tuple of (float, float)
        Median and most that a trial's tuning took.
    stopped : int
        Trials whose search the suite's seconds ended.
    score : float
        Mean of the metric on the test part, over trials and axis.
    trajectory : sequence of (float, float)
        Seconds, and the median over trials of the best validation score by then, from the time at which every trial has
        one. Successive halving counts from its last round on, whose rows alone compare.
    """

    algorithm: str
    trials: int
    judged: tuple[int, float, int]
    seconds: tuple[float, float]
    stopped: int
    score: float
    trajectory: Sequence[tuple[float, float]]


Panel = tuple[str, str]


def tuning_costs(
    records: Sequence[Record], metric: str, greater_is_better: Mapping[str, bool]
) -> dict[Panel, list[TuningCost]]:
    """Costs by (dataset or group, adversary), in the order of the records.

    Parameters
    ----------
    records : sequence of record
    metric : str
        Of the test part.
    greater_is_better : mapping of metric to bool
        Also of those that tuning judged by.
    """
    panels: dict[Panel, dict[str, list[Record]]] = {}
    for row, place in placed(records):
        if row["status"] == "ok" and row.get("tuning"):
            panels.setdefault(place.panel, {}).setdefault(row["algorithm"], []).append(row)
    return {
        panel: [_cost(name, rows, metric, greater_is_better) for name, rows in algorithms.items()]
        for panel, algorithms in panels.items()
    }


def _cost(name: str, rows: Sequence[Record], metric: str, greater_is_better: Mapping[str, bool]) -> TuningCost:
    judged = [sum(stage["judged"] for stage in row["tuning"]) for row in rows]
    seconds = [float(row["tune_seconds"] or 0.0) for row in rows]
    scores = [score for row in rows if (score := row["metrics"].get(metric)) is not None]
    return TuningCost(
        algorithm=name,
        trials=len(rows),
        judged=(min(judged), median(judged), max(judged)),
        seconds=(median(seconds), max(seconds)),
        stopped=sum(any(stage["stopped"] for stage in row["tuning"]) for row in rows),
        score=fmean(scores) if scores else math.nan,
        trajectory=_trajectory([_best_so_far(row["tuning"][-1], greater_is_better) for row in rows]),
    )


def _best_so_far(stage: Mapping[str, Any], greater_is_better: Mapping[str, bool]) -> list[tuple[float, float]]:
    """Seconds and best score of one trial's last stage, at each improvement."""
    better = max if greater_is_better.get(stage["metric"], False) else min
    most = max(stage["rows"], default=0)
    steps: list[tuple[float, float]] = []
    for spent, score, rows in zip(stage["spent"], stage["scores"], stage["rows"], strict=True):
        if score is None or rows < most:
            continue
        if not steps or better(score, steps[-1][1]) != steps[-1][1]:
            steps.append((max(spent, 1e-6), score))
    return steps


def _trajectory(trials: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float]]:
    known = [steps for steps in trials if steps]
    if not known:
        return []
    start = max(steps[0][0] for steps in known)
    end = max(start, *(steps[-1][0] for steps in known))
    times = [start * (end / start) ** (place / (_STEPS - 1)) for place in range(_STEPS)] if end > start else [start]
    return [(time, median(_at(steps, time) for steps in known)) for time in times]


def _at(steps: Sequence[tuple[float, float]], time: float) -> float:
    """The last score reached by a time; at the first time of all there is one."""
    return [score for spent, score in steps if spent <= time * (1 + 1e-9)][-1]


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
