"""Ending what MLflow holds to be running though its process was killed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from benchkit import TrackingError, one_line
from benchkit_mlflow.address import hide_secrets, masked, sqlite_file, tracking_uri
from benchkit_mlflow.connection import connect
from benchkit_mlflow.experiment import RUN, end_running

_SECONDS_IF_LOCKED = 5.0

# MLflow's tables; importing MLflow to ask takes a second, which most commands would spend for nothing.
_RUNNING = """
    SELECT DISTINCT experiments.name, tags.value FROM runs
    JOIN tags ON tags.run_uuid = runs.run_uuid AND tags.key = ?
    JOIN experiments ON experiments.experiment_id = runs.experiment_id
    WHERE runs.status = 'RUNNING' AND runs.lifecycle_stage = 'active'
"""


def end_killed(out: Path, was_killed: Callable[[str, str], bool], connects: bool, warn: Callable[[str], None]) -> None:
    """End, as killed, the runs of an output folder that nobody carries on.

    Parameters
    ----------
    out : Path
        Output folder.
    was_killed : callable
        Takes the names of a suite and of a run.
    connects : bool
        Whether a server may be asked; a database in a file is looked at always, which takes a millisecond.
    warn : callable

    Raises
    ------
    TrackingError
        In one line without secrets.
    """
    uri = tracking_uri(out)
    file = sqlite_file(uri)
    if file is None and not connects:
        return
    if file is not None and not any(was_killed(suite, run) for suite, run in _running_in(file)):
        return
    try:
        client = connect(out, warn)
        suites = {str(each.experiment_id): each.name for each in client.search_experiments()}
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
