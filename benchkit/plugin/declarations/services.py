"""Declaring what stands around runs: commands, trackers, and rows from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from benchkit.errors import BenchkitError
from benchkit.plugin.declarations.declaration import Declaration, DeclarationError

# Without asking the command line for them, which loads all of it; a test compares.
OWN = (
    *("run", "plan", "list", "show", "data", "env", "report", "compare", "merge", "debug"),
    *("sync", "clean", "new", "check", "ui", "schema"),
)
"""The commands of benchkit itself."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Command(Declaration):
    """A command of the command line: ``benchkit NAME``.

    Parameters
    ----------
    name, reference : str
        As for `Algorithm`; none of benchkit's own commands, and of no other plugin's.
    summary : str
        What ``benchkit --help`` says of it.
    run : str or callable
        A function as typer takes it: its parameters are the command's arguments and options, its docstring is what
        ``benchkit NAME --help`` says. Named by ``"module:function"``, it is imported when the command is used. A
        `benchkit.RequestError` that it raises is one line for the user, and `typer.Exit` its exit code; all else, also
        ``SystemExit``, is a failure of the plugin.
    function : str or callable, optional
        What does the same in Python: ``benchkit`` has it under the command's name.
    group : str, default="Commands of plugins"
        The heading under which ``benchkit --help`` lists it.
    """

    _code = ("run", "function")

    run: Any
    function: Any = None
    group: str = "Commands of plugins"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.name in OWN:
            raise DeclarationError(f"command {self.name!r} is benchkit's own: name it otherwise")


class TrackingError(BenchkitError):
    """What tracks runs cannot be written to, or its pages not served; the message is one line for the user."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tracker(Declaration):
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

    _code = ("make", "send", "serve", "end_killed", "audited")

    make: Any
    send: Any = None
    serve: Any = None
    end_killed: Any = None
    audited: Any = None


class RowsBeside(Protocol):
    """What a row source opens: rows that may stand beside a run's, where both answer the same question.

    A manifest's ``content`` says what trials ask: ``designs`` and ``methods`` by id, and ``places``, the ids of the
    design and the method of each trial; of both, what is asked is called ``question``. What goes wrong is a
    `benchkit.PublishError`.
    """

    def answered(self, content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """Ids of trials that need not be run.

        Parameters
        ----------
        content : mapping
        trials : mapping of str to mapping
            Ids to the fields of the future records, of all trials that are left to be run.
        """

    def join(self, results: Any, answered: Mapping[str, Mapping[str, Any]]) -> Any:
        """The results with the rows that stand beside them.

        Parameters
        ----------
        results : Results
        answered : mapping of str to mapping
            Ids to fields of trials that were not run, because rows answer them; none where that is not known.

        Returns
        -------
        Results
        """


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RowSource(Declaration):
    """Where rows come from that stand beside a run's: ``benchkit run SUITE --against NAME:PLACE``.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`. A place without a name is one of the source ``published``.
    open : str or callable
        Called with ``place``, the text of the request. Returns an object with two methods: ``answered(content,
        trials)``, the ids of the trials that need not be run; and ``join(results, answered)``, the results with rows
        beside them. `benchkit.RowsBeside` says what they take. Raises `benchkit.PublishError`.
    """

    _code = ("open",)

    open: Any
