"""Sending a run to MLflow after it ended: because MLflow was down, or to another server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchkit import Analysis, Run
from benchkit_mlflow.address import masked, tracking_uri
from benchkit_mlflow.connection import connect, explained
from benchkit_mlflow.experiment import open_experiment
from benchkit_mlflow.listener import SENT, MlflowTracking, digest_of
from benchkit_mlflow.methods import delete_methods


def send(
    run: Run, records: Sequence[Mapping[str, Any]], analyse: Callable[[], Analysis], warn: Callable[[str], None]
) -> tuple[str, str]:
    """Send a run; what MLflow has of it in part, or of an earlier state, is replaced.

    Returns
    -------
    outcome : {"sent", "sent again", "already there"}
    place : str
        The address of MLflow, without secrets.

    Raises
    ------
    TrackingError
    """
    place = masked(tracking_uri(run.out))
    with explained(run):
        client = connect(run.out, warn)
        mine = f'tags."benchkit.run" = "{run.id}"'
        there = client.search_runs([open_experiment(client, run, warn)], mine, max_results=5000)
        if any(sent.data.tags.get(SENT) == digest_of(records) for sent in there):
            return "already there", place
        delete_methods(client, open_experiment(client, run, warn), {earlier.info.run_id for earlier in there})
        for earlier in there:
            client.delete_run(earlier.info.run_id)
    analysis = analyse()
    tracking = MlflowTracking(warn, live=False)
    tracking.benchkit_run_started(run)
    tracking.benchkit_run_finished(run, records, analysis)
    return ("sent again" if there else "sent"), place
