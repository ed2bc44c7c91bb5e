"""The dashboard's server: on this machine, by GET alone, for browsers that were sent here by nobody else."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

from benchkit.dashboard.runs import GROUP, MANIFEST
from benchkit.dashboard.site import Response, Site
from benchkit.errors import BenchkitError, RequestError
from benchkit.journal import JournalError

LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
# A report that came from elsewhere is shown as it is: it may run its own script, and reach nothing with it.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_SECONDS_TO_SEND = 30


class DashboardServer(ThreadingHTTPServer):
    """Serves a `Site`.

    Parameters
    ----------
    site : Site
    host, port : str, int
        A name of this machine for itself, and a port; 0 for any that is free.
    """

    daemon_threads = True

    def __init__(self, site: Site, host: str, port: int) -> None:
        self.site = site
        self.address_family = LOOPBACK[host]
        super().__init__((host, port), _Handler)
        shown = f"[{host}]" if ":" in host else host
        self.address = f"http://{shown}:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a browser that went away while it was answered."""


class _Handler(BaseHTTPRequestHandler):
    server: DashboardServer
    timeout = _SECONDS_TO_SEND
    server_version, sys_version = "benchkit", ""

    def do_GET(self) -> None:
        self._send(self._answer(), with_body=True)

    def do_HEAD(self) -> None:
        self._send(self._answer(), with_body=False)

    def _answer(self) -> Response:
        # A page elsewhere, whose name its owner lets stand for 127.0.0.1, must not read runs; nor start anything.
        if not self._for_this_machine():
            return Response(b"this dashboard answers to 127.0.0.1 and localhost alone\n", "text/plain", 403)
        by_reader = self.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        try:
            return self.server.site.answer(self.path, by_reader)
        except Exception as error:  # a defect: the others of the run's pages are still to be had
            text = f"this page could not be made: {type(error).__name__}: {error}\n"
            return Response(text.encode(errors="replace"), "text/plain; charset=utf-8", 500)

    def _for_this_machine(self) -> bool:
        host = self.headers.get("Host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        return name.strip("[]").lower() in LOOPBACK

    def _send(self, answer: Response, with_body: bool) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        if answer.again is not None:
            self.send_header("Refresh", str(answer.again))
        if answer.location:
            self.send_header("Location", quote(answer.location, safe=":/?#[]@!$&'()*+,;=%~"))
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Requests are not printed."""


def serve(
    out: Path,
    suite: str | None,
    host: str,
    port: int,
    ready: Callable[[str], None],
    elsewhere: Callable[[], str | None] | None = None,
) -> None:
    """Serve the dashboard of an output folder until KeyboardInterrupt.

    Parameters
    ----------
    out : Path
    suite : str or None
        Whose runs are shown first; all where None.
    host : str
        A name of this machine for itself.
    port : int
    ready : callable
        Takes the address when it can be opened.
    elsewhere : callable, optional
        As for `Site`.

    Raises
    ------
    JournalError
        There is no run in the folder.
    RequestError
        It cannot listen there.
    """
    if host not in LOOPBACK:
        raise RequestError(
            f"--host {host}: runs are shown on this machine alone, at {' or '.join(LOOPBACK)}; from another machine "
            f"use 'ssh -L {port}:127.0.0.1:{port}', or --mlflow"
        )
    known = sorted({path.parent.parent.name for name in (MANIFEST, GROUP) for path in out.glob(f"*/*/{name}")})
    if not known:
        raise JournalError(f"{out}: no run here yet; run a suite first, or name its folder with --out")
    if suite is not None and suite not in known:
        raise JournalError(f"no run of a suite {suite} in {out}; it has runs of {', '.join(known)}")
    try:
        server = DashboardServer(Site(out, elsewhere), host, port)
    except PermissionError:
        raise RequestError(f"--port {port}: only an administrator may use it; take one above 1023") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise RequestError(
                f"port {port} is taken, perhaps by another dashboard; name another one, such as --port {port + 1}"
            ) from None
        raise BenchkitError(f"cannot listen at {host}, port {port}: {error.strerror or error}") from None
    with server:
        ready(f"{server.address}/" + (f"?suite={quote(suite)}" if suite else ""))
        server.serve_forever()
