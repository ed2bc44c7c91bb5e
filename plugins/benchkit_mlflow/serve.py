"""MLflow's pages in the browser: those of a server that is there, or of MLflow's own, started here.

As a program, ``python -m benchkit_mlflow.serve COMMAND...`` runs a command that ends with whoever started it.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from benchkit import JournalError, TrackingError, one_line
from benchkit_mlflow import connection
from benchkit_mlflow.experiments import VIEW, view_link

_SECONDS_TO_START = 180.0  # imports alone take half a minute on a busy machine
_SECONDS_TO_STOP = 5.0
_EVERY_INTERFACE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def serve(
    out: Path, suite: str | None, host: str, port: int, ready: Callable[[str], None], warn: Callable[[str], None]
) -> None:
    """Serve the dashboard of an output folder until it is stopped: ``serve`` of `benchkit.Tracker`."""
    uri = connection.tracking_uri(out)
    database = connection.sqlite_file(uri)
    if database is not None and not database.exists():
        place = connection.masked(uri) if connection.is_remote() else out
        raise JournalError(f"{place}: no dashboard yet; run a suite first, or name its folder with --out")
    try:
        if uri.startswith(("http://", "https://")):  # a server, which has pages already
            ready(f"{connection.masked(uri).rstrip('/')}/{_newest_view(uri, suite)}")
            return
        check_port(host, port)
        try:
            connection.check_reachable(uri)
        except Exception as error:  # whatever a database driver raises
            raise TrackingError(connection.what_failed(error, uri)) from None
        with _server(uri, host, port) as (process, log):
            view = _newest_view(uri, suite)  # while the server starts
            address = server_address(host, port)
            _wait_until_ready(process, address)
            if process.poll() is None:
                ready(f"{address}/{view}")
            process.wait()
            log.seek(0)
            lines = [line.strip() for line in log.read().decode(errors="replace").splitlines() if line.strip()]
            raise TrackingError(f"MLflow's server ended: {lines[-1][:500] if lines else 'it said nothing'}")
    except TrackingError as error:
        raise TrackingError(connection.hide_secrets(str(error), uri)) from None


def _newest_view(uri: str, suite: str | None) -> str:
    """Where the newest curves are, from the dashboard's address on."""
    try:
        experiments = list(connection.quiet_mlflow().MlflowClient(uri).search_experiments())
    except Exception as error:  # a database driver's, or MLflow's
        raise TrackingError(f"the dashboard cannot be read: {one_line(error)}") from None
    ours = [experiment for experiment in experiments if VIEW in experiment.tags]
    wanted = [experiment for experiment in ours if suite in (None, experiment.name)]
    if not wanted:
        names = ", ".join(sorted(experiment.name for experiment in ours)) or "none"
        raise TrackingError(f"no suite {suite or ''} in the dashboard; it has {names}".replace("  ", " "))
    newest: Any = max(wanted, key=lambda experiment: experiment.last_update_time or 0)
    return view_link(str(newest.experiment_id))


def server_address(host: str, port: int) -> str:
    """Where a browser on this machine finds the server."""
    reachable = _EVERY_INTERFACE.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


def check_port(host: str, port: int) -> None:
    """Make sure that a server can listen there, else raise a `benchkit.TrackingError`."""
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            # As servers do: a port that was closed a moment ago is free.
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
    except OSError as error:
        why = f"cannot listen at --host {host}, port {port}: {error.strerror or error}"
        raise TrackingError(f"{why}; name another, such as --port {port + 1}") from None


@contextmanager
def _server(uri: str, host: str, port: int) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """MLflow's server, and what it says, for the length of a with block.

    The address goes to it in its environment: every user of a machine can read command lines. It has a process group of
    its own, which ends as a whole, since the server has children too.
    """
    mlflow = [sys.executable, "-m", "mlflow", "server", "--host", host, "--port", str(port), "--workers", "1"]
    settings = {
        "MLFLOW_BACKEND_STORE_URI": uri,
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
        # Processes that evaluate language models in the background.
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    }
    environment = {name: value for name, value in os.environ.items() if name != connection.VARIABLE} | settings
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchkit_mlflow.serve", *mlflow],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield process, log
        finally:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError, subprocess.TimeoutExpired):
                    os.killpg(process.pid, number)
                    process.wait(_SECONDS_TO_STOP)
            process.communicate()


def _wait_until_ready(process: subprocess.Popen[bytes], address: str) -> None:
    """Return when the server answers, or has ended."""
    deadline = time.monotonic() + _SECONDS_TO_START
    while process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{address}/health", timeout=5):
            return
        if time.monotonic() > deadline:
            raise TrackingError(f"MLflow's server did not answer in {_SECONDS_TO_START:.0f} s")
        time.sleep(0.1)


def _end_with_starter() -> None:
    """End this process's group when standard input ends: a pipe that only the starter holds, and never writes to."""
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=_end_with_starter, daemon=True).start()
    sys.exit(subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL))
