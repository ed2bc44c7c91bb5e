"""Trackers: where runs are written to, beside their folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchkit.errors import BenchkitError
from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.words import check_name


class TrackingError(BenchkitError):
    """What tracks runs cannot be written to, or its pages not served; the message is one line for the user."""


@dataclass(frozen=True, kw_only=True)
class Tracker:
    """Where ``benchkit run`` writes a run beside its folder, unless told otherwise: a dashboard, a database.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    make : str or callable
        Called once for each run with ``warn`` (a callable that takes a line for the user). Returns an object that
        listens to that run alone, by methods that are named, and marked by ``hookimpl``, as the hooks that listen:
        ``benchkit_run_started``, ``benchkit_trial_finished``, ``benchkit_run_finished``, ``benchkit_run_stopped``.
        One that raises is named and not called again; the run goes on.
    send : str or callable or None, default=None
        ``benchkit sync``, for a run that ended: called with ``run`` (a `Run`, whose ``planned`` are the trials that
        have records), ``records`` (in order), ``analyse`` (a callable without arguments that returns the
        `benchkit.Analysis`, and writes the run's report where it is missing) and ``warn``. Returns what became of it
        ("sent", "sent again", "already there") and the place, without secrets. Raises `benchkit.TrackingError`.
    serve : str or callable or None, default=None
        ``benchkit ui --tracker NAME``: called with ``out`` (Path), ``suite`` (str or None, which to open),
        ``host``, ``port``, ``ready`` (a callable that takes the address, to be called when it can be opened) and
        ``warn``. Returns when nothing is left to be served; KeyboardInterrupt stops it. Raises
        `benchkit.TrackingError`, or `benchkit.JournalError` where there is nothing to show yet.
    end_killed : str or callable or None, default=None
        For runs whose process was killed, and which the tracker still shows as running: called with ``out`` (Path),
        ``was_killed`` (a callable that takes the names of a suite and of a run, and says whether that run lies in
        ``out`` and no process writes to its journal), ``connects`` (bool: ``sync`` and ``ui --tracker``
        connect anyway; a run with nothing to do does not, and only looks at what costs no time) and ``warn``.
    audited : str or callable or None, default=None
        ``benchkit audit --out DIR --tracker NAME``: called with ``folder`` (Path, which holds ``report.html``; what was
        logged of it before is replaced), ``title`` (str), ``measures`` (mapping of str to numbers with ``value``,
        ``low`` and ``high``) and ``warn``.
    """

    name: str
    make: Any
    send: Any = None
    serve: Any = None
    end_killed: Any = None
    audited: Any = None
    summary: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        defer(self, "make", "send", "serve", "end_killed", "audited")
