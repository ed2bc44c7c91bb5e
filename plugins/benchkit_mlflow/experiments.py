"""Experiments of MLflow: a suite's, that of audits, and runs in them whose process was killed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from benchkit import TrackingError, one_line
from benchkit_mlflow.connection import connect, hide_secrets, is_remote, masked, sqlite_file, tracking_uri

RUN = "benchkit.run"
"""Tag of all runs: the id of the run that they belong to."""
AUDITS = "audits"
"""The experiment of audits."""
MOST_RUNS = 5000
"""As many as MLflow returns at once."""

# Experiments of this kind open on runs and curves, others on MLflow's pages for language models.
_KIND = ("mlflow.experimentKind", "custom_model_development")
_FOLDER = "benchkit.audit"
_SECONDS_IF_LOCKED = 5.0
# MLflow's tables; importing MLflow to ask takes a second, which most commands would spend for nothing.
_RUNNING = """
    SELECT DISTINCT experiments.name, tags.value FROM runs
    JOIN tags ON tags.run_uuid = runs.run_uuid AND tags.key = ?
    JOIN experiments ON experiments.experiment_id = runs.experiment_id
    WHERE runs.status = 'RUNNING' AND runs.lifecycle_stage = 'active'
"""


def open_experiment(client: Any, name: str, out: Path, warn: Callable[[str], None]) -> str:
    """The id of an experiment; one that was deleted in the dashboard is restored, since MLflow keeps its name taken."""
    known = client.get_experiment_by_name(name)
    if known is None:
        location = None if is_remote() else (out / "mlartifacts").resolve().as_uri()
        experiment = str(client.create_experiment(name, artifact_location=location))
    else:
        experiment = str(known.experiment_id)
        if known.lifecycle_stage == "deleted":
            client.restore_experiment(experiment)
            warn(f"experiment {name!r} had been deleted in the dashboard; it is restored, with its earlier runs")
    client.set_experiment_tag(experiment, *_KIND)
    return experiment


def end_running(client: Any, experiments: Mapping[str, str], ended: Callable[[str, str], bool]) -> None:
    """Say of runs that they were killed, where MLflow holds that they are running.

    Experiments are names of suites by id; ``ended`` takes the names of a suite and of a run, and says whether the run
    does not go on.
    """
    for experiment, suite in experiments.items():
        for other in client.search_runs([experiment], "attributes.status = 'RUNNING'", max_results=MOST_RUNS):
            name = other.data.tags.get(RUN)
            if name is not None and ended(suite, name):
                client.set_terminated(other.info.run_id, "KILLED")


def end_killed(out: Path, was_killed: Callable[[str, str], bool], connects: bool, warn: Callable[[str], None]) -> None:
    """End, as killed, the runs of an output folder that nobody carries on: ``end_killed`` of `benchkit.Tracker`.

    A database in a file is looked at always, which takes a millisecond.
    """
    uri = tracking_uri(out)
    file = sqlite_file(uri)
    if not connects if file is None else not any(was_killed(suite, run) for suite, run in _running_in(file)):
        return
    try:
        client = connect(out)
        suites = {str(found.experiment_id): found.name for found in client.search_experiments()}
        end_running(client, {key: name for key, name in suites.items() if (out / name).is_dir()}, was_killed)
    except Exception as error:  # whatever MLflow or a database driver raises
        raise TrackingError(f"MLflow at {masked(uri)}: {hide_secrets(one_line(error), uri)}") from None


def _running_in(file: Path) -> list[tuple[str, str]]:
    """Suites and runs that a database holds to be running; none where it is not whole, which others say."""
    if not file.is_file():
        return []
    try:
        connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=_SECONDS_IF_LOCKED)
        with closing(connection):
            return [(str(suite), str(run)) for suite, run in connection.execute(_RUNNING, (RUN,))]
    except sqlite3.Error:
        return []


def log_audit(folder: Path, title: str, measures: Mapping[str, Any], warn: Callable[[str], None]) -> None:
    """Log an audit in the experiment ``audits``: ``audited`` of `benchkit.Tracker`."""
    from mlflow.entities import Metric

    client, name = connect(folder.parent), str(folder).replace("'", "")
    experiment = open_experiment(client, AUDITS, folder.parent, warn)
    for earlier in client.search_runs([experiment], f"tags.`{_FOLDER}` = '{name}'"):
        client.delete_run(earlier.info.run_id)
    run = client.create_run(experiment, tags={"mlflow.runName": title, _FOLDER: name}).info.run_id
    now = int(1000 * time.time())
    keys = {"": "value", ".low": "low", ".high": "high"}
    metrics = [
        Metric(measure + suffix, getattr(number, field), now, 0)
        for measure, number in measures.items()
        for suffix, field in keys.items()
    ]
    client.log_batch(run, metrics=metrics)
    if (page := folder / "report.html").is_file():
        client.log_artifact(run, str(page))
    client.set_terminated(run)
