"""The dashboard's server: a child process that is silent until it listens, and ends with this one."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

from benchkit import TrackingError
from benchkit_mlflow.address import VARIABLE, hide_secrets

_SECONDS_TO_START = 180.0  # imports alone take half a minute on a busy machine
_SECONDS_TO_STOP = 5.0
_SECONDS_TO_FREE_THE_PORT = 10.0
_EVERY_INTERFACE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def server_address(host: str, port: int) -> str:
    """Where a browser on this machine finds the server."""
    reachable = _EVERY_INTERFACE.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


def check_port(host: str, port: int) -> None:
    """Make sure that a server can listen there.

    Raises
    ------
    TrackingError
        The port is taken, or the host is not an address of this machine.
    """
    try:
        _bind(host, port)
    except socket.gaierror as error:
        raise TrackingError(f"--host {host}: {error.strerror or error}") from None
    except PermissionError:
        raise TrackingError(f"--port {port}: only an administrator may use it; take one above 1023") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise TrackingError(
                f"port {port} is taken, perhaps by another dashboard; name another one, such as --port {port + 1}"
            ) from None
        raise TrackingError(f"cannot listen at {host}, port {port}: {error.strerror or error}") from None


def _bind(host: str, port: int) -> None:
    """Take the port, and give it back."""
    family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        # As servers do: a port that was closed a moment ago is free.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind(place)


@contextmanager
def dashboard_server(uri: str, host: str, port: int) -> Iterator[Server]:
    """A server of MLflow's pages, for the length of a with block.

    Parameters
    ----------
    uri : str
        Of the database. It goes to the child in its environment: every user of a machine can read command lines.
    host, port
        Where it listens.
    """
    mlflow = [sys.executable, "-m", "mlflow", "server", "--host", host, "--port", str(port), "--workers", "1"]
    command = [sys.executable, "-m", "benchkit_mlflow.kept", *mlflow]
    # In a process group of its own, which ends as a whole: the server has children too. Where this process is killed,
    # the pipe ends, and with it the group.
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, env=_environment(uri), stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
        )
        try:
            yield Server(process, log, uri, server_address(host, port))
        finally:
            _stop(process)
            _wait_until_free(host, port)


class Server:
    """The child process, and what it says."""

    def __init__(self, process: subprocess.Popen[bytes], log: IO[bytes], uri: str, address: str) -> None:
        self._process, self._log, self._uri, self.address = process, log, uri, address

    @property
    def command(self) -> list[str]:
        """The child's command line, which everybody on the machine can read."""
        return list(self._process.args)  # type: ignore[arg-type]

    def wait_until_ready(self) -> None:
        """Return when the server answers.

        Raises
        ------
        TrackingError
            It ended, or did not answer in time; with the last line that it said.
        """
        deadline = time.monotonic() + _SECONDS_TO_START
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise TrackingError(f"MLflow's server ended: {self._last_line()}")
            try:
                with urllib.request.urlopen(f"{self.address}/health", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        raise TrackingError(f"MLflow's server did not answer in {_SECONDS_TO_START:.0f} s: {self._last_line()}")

    def wait(self) -> None:
        """Return when the server ends of itself.

        Raises
        ------
        TrackingError
            It ends with the last line that it said.
        """
        self._process.wait()
        raise TrackingError(f"MLflow's server ended: {self._last_line()}")

    def _last_line(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
        return hide_secrets(last, self._uri)[:500]


def _environment(uri: str) -> Mapping[str, str]:
    settings = {
        "MLFLOW_BACKEND_STORE_URI": uri,
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
        # Processes that evaluate language models in the background.
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    }
    return {name: value for name, value in os.environ.items() if name != VARIABLE} | settings


def _stop(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            continue
    process.wait()
    assert process.stdin is not None
    process.stdin.close()


def _wait_until_free(host: str, port: int) -> None:
    """Return when nobody listens there any more, or after a while.

    The group that was ended has members that are not children of this process: they hold the port until the kernel has
    ended them, which is after the one that this process waited for has.
    """
    deadline = time.monotonic() + _SECONDS_TO_FREE_THE_PORT
    while time.monotonic() < deadline:
        try:
            _bind(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return  # it never was this server's
            time.sleep(0.02)
        else:
            return
