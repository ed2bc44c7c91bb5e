"""Sending a run to MLflow after it ended: because MLflow was down, or to another server."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from benchkit.journal import read_run
from benchkit.plugin.spec import Run
from benchkit.report.files import write_files
from benchkit.report.results import load_results
from benchkit.tracking.mlflow import SENT, MlflowTracking, digest_of, explained, quiet_mlflow, tracking_uri

Outcome = Literal["sent", "sent again", "already there"]


def sync(reference: str | Path) -> tuple[Outcome, Run]:
    """Send a run; whatever MLflow has of it in part, or of an earlier state, is replaced.

    Parameters
    ----------
    reference : path
        A run's folder, or a suite's, which stands for its newest run.

    Returns
    -------
    outcome : {"sent", "sent again", "already there"}
    run : Run

    Raises
    ------
    JournalError, TrackingError
    """
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
        client = quiet_mlflow().MlflowClient(tracking_uri(run.out))
        experiment = client.get_experiment_by_name(run.suite)
        there = []
        if experiment is not None:
            mine = f'tags."benchkit.run" = "{run.id}"'
            there = client.search_runs([experiment.experiment_id], mine, max_results=5000)
        if any(found.data.tags.get(SENT) == digest_of(records) for found in there):
            return "already there", run
        for found in there:
            client.delete_run(found.info.run_id)
    if not (folder / "report.html").exists():  # the run was killed before it reported
        write_files(load_results(folder), folder, plots=True)
    tracking = MlflowTracking()
    tracking.benchkit_run_started(run)
    tracking.benchkit_run_finished(run, records)
    return ("sent again" if there else "sent"), run
