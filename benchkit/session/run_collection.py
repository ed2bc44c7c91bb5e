"""Carrying out the plans of a collection, suite after suite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from benchkit.journal import run_name, write_group
from benchkit.report.results import Results
from benchkit.report.stored_results import join_results
from benchkit.session.provenance import describe_group
from benchkit.session.reuse import Reuse
from benchkit.suite.load import Collection


def run_each(
    collection: Collection, suites: Sequence[Reuse], out: Path, run_one: Callable[[Reuse], Results]
) -> Results:
    """Run a collection's suites one after another, and note which runs belong together."""
    now = datetime.now()
    folder = out / collection.name / run_name(out / collection.name, now)
    names = [reuse.plan.suite.name for reuse in suites]
    manifest = describe_group(collection, names, now.isoformat(timespec="seconds"))
    write_group(folder, manifest)
    ended: list[Results] = []
    interrupted = False
    try:
        for reuse in suites:
            results = run_one(reuse)
            ended.append(results)
            manifest["runs"][results.suite] = results.folder.name
            write_group(folder, manifest)
            if interrupted := results.interrupted:
                break
    except KeyboardInterrupt:  # between trials
        interrupted = True
    return join_results(collection.name, collection.loaded.suite.title, folder, ended, interrupted)
