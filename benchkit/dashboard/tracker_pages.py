"""A tracker's own pages beside the dashboard: started when a reader asks for them, and not before."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any

from benchkit.errors import BenchkitError
from benchkit.plugin.manager import one_line


class TrackerPages:
    """Called, it starts the pages once, and tells where they are as soon as they can be opened.

    Parameters
    ----------
    serve : callable
        A tracker's ``serve``, with all but ``port`` and ``ready`` given.
    host : str
        Where it listens: at a port that is free.
    """

    def __init__(self, serve: Callable[..., Any], host: str) -> None:
        self._serve, self._host = serve, host
        self._thread: threading.Thread | None = None
        self._address: str | None = None
        self._wrong: str | None = None

    def __call__(self) -> str | None:
        """Where the pages are; None while they are not ready.

        Raises
        ------
        BenchkitError
            They ended, or could not be started; asked again, they are started again.
        """
        if self._wrong is not None:
            wrong, self._wrong, self._thread, self._address = self._wrong, None, None, None
            raise BenchkitError(wrong)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self._address

    def _run(self) -> None:
        try:
            self._serve(port=_free_port(self._host), ready=self._note)
            if self._address is None:
                self._wrong = "the pages ended before they could be opened"
        except (Exception, SystemExit) as error:
            self._wrong = str(error) if isinstance(error, BenchkitError) else one_line(error)

    def _note(self, address: str) -> None:
        self._address = address


def _free_port(host: str) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        trial.bind((host, 0))
        return int(trial.getsockname()[1])
