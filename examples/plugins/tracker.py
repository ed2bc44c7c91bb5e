"""A tracker: it hears of a run through hooks, and writes it down."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from benchkit import Analysis, Run, Tracker, hookimpl


class Ledger:
    """Write a line for each run that ended: to be replaced by a dashboard, a database or a message.

    Parameters
    ----------
    warn : callable
        Takes a line for the user, such as that the place is out of reach.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self.warn = warn

    @hookimpl
    def benchkit_run_finished(self, run: Run, analysis: Analysis) -> None:
        """Write the line. There are `benchkit_run_started` and `benchkit_trial_finished`, too."""
        write(run, analysis)


def send(
    run: Run, records: list[dict[str, Any]], analyse: Callable[[], Analysis], warn: Callable[[str], None]
) -> tuple[str, str]:
    """What ``benchkit sync`` does; returns what became of the run, and where."""
    return "sent", write(run, analyse())


def write(run: Run, analysis: Analysis) -> str:
    """Append a line with the means of the suite's first metric; return the file."""
    points = [point for point in analysis.results.points() if point.metric == run.metrics[0]]
    means = [[point.dataset, point.algorithm, point.axis_value, point.mean] for point in points]
    path = run.out / "ledger.jsonl"
    with path.open("a", encoding="utf-8") as file:
        print(json.dumps({"suite": run.suite, "run": run.id, "means": means}), file=file)
    return str(path)


@hookimpl
def benchkit_trackers() -> list[Tracker]:
    """Declare the trackers."""
    return [
        Tracker(
            name="ledger",
            make=Ledger,
            send=send,
            summary="A line for each run, in the output folder",
        )
    ]
