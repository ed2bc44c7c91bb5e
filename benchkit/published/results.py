"""A published run as the results of a run: what reads runs reads it, too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchkit.journal import PublishError, changed
from benchkit.plugin.manager import registry
from benchkit.published.join import MEASURED
from benchkit.published.stored import PublishedRun, Stored
from benchkit.report.results import Results
from benchkit.report.stored_results import make_results


def published_run(stored: Stored, suite: str, profile: str) -> PublishedRun:
    """The published run of a suite and profile that began last.

    Raises
    ------
    PublishError
    """
    runs = [run for run in stored.of_suite(suite) if run.manifest["profile"] == profile]
    if not runs:
        raise PublishError(f"{stored.name}: nothing is published for {suite} ({profile})")
    return runs[-1]


def published_results(stored: Stored, suite: str, profile: str) -> Results:
    """The rows of the published run of a suite and profile that began last.

    Parameters
    ----------
    stored : Stored
    suite, profile : str

    Returns
    -------
    Results
        Of no folder: their manifest is with them, and outcomes of rows are with what is published. Seconds of rows
        that another machine measured are left out.

    Raises
    ------
    PublishError
    """
    run = published_run(stored, suite, profile)
    origins = run.manifest["origins"]
    machine = origins[run.manifest["run"]]["machine"] if run.manifest["run"] in origins else None
    rows = [
        changed(row, {"suite": suite, **({} if origins[row["run"]]["machine"] == machine else dict.fromkeys(MEASURED))})
        for row in run.rows
    ]
    content = {**run.manifest["content"], "places": {row["trial"]: [row["design"], row["method"]] for row in rows}}
    manifest = {**run.manifest, "content": content, "trials": [row["trial"] for row in rows], "reused_from": {}}
    sections = tuple(registry().report_sections.values())
    results = make_results(Path(suite, run.manifest["run"]), manifest, rows, sections)
    return replace(results, told=manifest, outcomes_beside=(stored.outcomes,))
