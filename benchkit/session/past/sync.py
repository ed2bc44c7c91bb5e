"""Sending a run to where runs are tracked after it ended: because that was down, or to another place."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchkit.errors import BenchkitError, RequestError
from benchkit.journal import read_run, runs_of
from benchkit.journal.manifest import is_own
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry, registry
from benchkit.plugin.spec import Run
from benchkit.report.analysis import Analysis
from benchkit.report.files import write_files
from benchkit.report.stored_results import load
from benchkit.session.listeners import chosen_trackers, end_killed
from benchkit.session.provenance import session_of


class Sent(NamedTuple):
    """What became of a run: a word or two, the run, and the place that it was sent to."""

    outcome: str
    run: Run
    place: str


def sync(
    reference: str | Path,
    warn: Callable[[str], None] = warnings.warn,
    trackers: bool | str | Sequence[str] = True,
    known: Registry | None = None,
) -> list[Sent]:
    """Send a run, or each suite's of a collection, to trackers by name; True stands for all that take ended runs.

    ``warn`` is told in one line what was repaired. Returns what became of each suite and tracker.
    """
    to = [tracker for tracker in chosen_trackers(known or registry(), trackers) if tracker.send is not None]
    if not to:
        raise RequestError("no tracker is installed that takes a run after it ended")
    sent = []
    for place in runs_of(reference):
        manifest, records, folder = read_run(place)
        run = session_of(folder, manifest, {record["trial"]: record for record in records}, records)

        def analyse(folder: Path = folder, is_ours: bool = is_own(folder, manifest)) -> Analysis:
            analysis = Analysis(load(folder))
            # The run was killed before it reported, or another wrote the report: what is shown is made here.
            if not (folder / "report.html").exists() or not is_ours:
                write_files(analysis, folder, plots=True)
            return analysis

        for tracker in to:
            with guarded(f"{of(tracker)}: send", passing=(BenchkitError,)):
                outcome, where = tracker.send(run=run, records=records, analyse=analyse, warn=warn)
            sent.append(Sent(outcome, run, where))
        end_killed(to, run.out, warn, connects=True)
    return sent
