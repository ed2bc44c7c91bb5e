"""MLflow's pages in the browser: those of a server that is there, or of one that is started here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchkit import JournalError, TrackingError, one_line
from benchkit_mlflow.address import hide_secrets, is_remote, is_server, masked, sqlite_file, tracking_uri
from benchkit_mlflow.connection import check_reachable
from benchkit_mlflow.experiment import VIEW
from benchkit_mlflow.quiet import quiet_mlflow
from benchkit_mlflow.server import check_port, dashboard_server
from benchkit_mlflow.views import ALL, view_link


def serve(
    out: Path,
    suite: str | None,
    host: str,
    port: int,
    ready: Callable[[str], None],
    warn: Callable[[str], None],
) -> None:
    """Serve the dashboard of an output folder until it is stopped.

    Raises
    ------
    JournalError
        There is no dashboard in the folder.
    TrackingError
        It cannot be read or served.
    """
    uri = tracking_uri(out)
    database = sqlite_file(uri)
    if database is not None and not database.exists():
        place = masked(uri) if is_remote() else out
        raise JournalError(f"{place}: no dashboard yet; run a suite first, or name its folder with --out")
    try:
        if is_server(uri):  # it has pages already
            ready(f"{masked(uri).rstrip('/')}/{_newest_view(uri, suite)}")
            return
        check_port(host, port)
        try:
            check_reachable(uri, warn)
        except Exception as error:  # whatever a database driver raises
            raise TrackingError(f"MLflow at {masked(uri)}: {one_line(error)}") from None
        with dashboard_server(uri, host, port) as server:
            view = _newest_view(uri, suite)  # while the server starts
            server.wait_until_ready()
            ready(f"{server.address}/{view}")
            server.wait()
    except TrackingError as error:
        raise TrackingError(hide_secrets(str(error), uri)) from None


def _newest_view(uri: str, suite: str | None) -> str:
    """Where the newest curves are, from the dashboard's address on."""
    try:
        experiments = list(quiet_mlflow().MlflowClient(uri).search_experiments())
    except Exception as error:  # a database driver's, or MLflow's
        raise TrackingError(f"the dashboard cannot be read: {one_line(error)}") from None
    ours = [experiment for experiment in experiments if VIEW + ALL in experiment.tags]
    shown = [experiment for experiment in ours if suite in (None, experiment.name)]
    if not shown:
        known = ", ".join(sorted(experiment.name for experiment in ours)) or "none"
        raise TrackingError(f"no suite {suite or ''} in the dashboard; it has {known}".replace("  ", " "))
    newest: Any = max(shown, key=lambda experiment: experiment.last_update_time or 0)
    return view_link(str(newest.experiment_id))
