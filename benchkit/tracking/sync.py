"""Sending a run to MLflow after it ended: because MLflow was down, or to another server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from benchkit.journal import read_run, runs_of
from benchkit.journal.origin import is_own
from benchkit.plugin.spec import Run
from benchkit.report.analysis import Analysis
from benchkit.report.formats.files import write_files
from benchkit.report.stored_results import load_results
from benchkit.tracking.connection import connect, explained
from benchkit.tracking.experiment import open_experiment
from benchkit.tracking.mlflow import SENT, MlflowTracking, digest_of, warn_in_python

Outcome = Literal["sent", "sent again", "already there"]


def sync(reference: str | Path, warn: Callable[[str], None] = warn_in_python) -> list[tuple[Outcome, Run]]:
    """Send a run, or each suite's of a collection; what MLflow has of it in part, or of an earlier state, is replaced.

    Parameters
    ----------
    reference : path
        A run's folder, or a suite's or collection's, which stands for its newest run.
    warn : callable, optional
        Is told in one line what was repaired; a Python warning by default.

    Returns
    -------
    list of (outcome, Run)
        Of each suite: ``sent``, ``sent again`` or ``already there``.

    Raises
    ------
    JournalError, TrackingError
    """
    return [_sync_run(folder, warn) for folder in runs_of(reference)]


def _sync_run(reference: Path, warn: Callable[[str], None]) -> tuple[Outcome, Run]:
    manifest, records, folder = read_run(reference)
    run = Run(
        suite=manifest["suite"],
        title=manifest["title"],
        profile=manifest.get("profile") or "",
        id=manifest.get("run") or folder.name,
        folder=folder,
        out=folder.parent.parent,
        planned={record["trial"]: record for record in records},
        metrics=tuple(manifest["suite_as_run"].get("metrics") or ("error",)),
        reused=tuple(records),
        command=manifest.get("command", ""),
    )
    with explained(run):
        client = connect(run.out, warn)
        mine = f'tags."benchkit.run" = "{run.id}"'
        there = client.search_runs([open_experiment(client, run, warn)], mine, max_results=5000)
        if any(sent.data.tags.get(SENT) == digest_of(records) for sent in there):
            return "already there", run
        for earlier in there:
            client.delete_run(earlier.info.run_id)
    # The run was killed before it reported, or another wrote the report: what is shown is made here.
    if not (folder / "report.html").exists() or not is_own(folder, manifest):
        write_files(Analysis(load_results(folder)), folder, plots=True)
    tracking = MlflowTracking(warn, planned=len(manifest["trials"]))
    tracking.benchkit_run_started(run)
    tracking.benchkit_run_finished(run, records)
    return ("sent again" if there else "sent"), run
