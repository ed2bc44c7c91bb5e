"""Declaring what stands around runs: executors, commands, trackers, rows from elsewhere, and parts of reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from benchkit.plugin.declarations.declaration import NAME_IN_WORDS, Declaration, DeclarationError

Value = str | int | float | bool

# What every executor is called with, where it takes it.
GIVEN_BY_BENCHKIT = ("jobs", "log", "memory")

_EXPECTED = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, kw_only=True)
class ExecutorOption:
    """What an executor may be told: ``benchkit run --executor NAME --executor-option OPTION=VALUE``.

    Parameters
    ----------
    name : str
        The keyword argument of the executor's ``make`` that receives it: lower-case words joined by underscores.
    summary : str
        One line for ``benchkit show``.
    type : {str, int, float, bool}, default=str
        What ``make`` is given; text of the command line is turned into it.
    default : str, int, float, bool or None, default=None
        What ``make`` is given where the user says nothing.
    elsewhere : bool, default=False
        Whether functions run on other machines once it is given, as with the address of a cluster. ``jobs`` is None
        then unless the user says how many, and suites that are ``exclusive`` refuse the option.
    """

    name: str
    summary: str = ""
    type: type[Value] = str
    default: Value | None = None
    elsewhere: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", str(self.name)) or self.name in GIVEN_BY_BENCHKIT:
            expected = f"lower-case words joined by underscores, other than {', '.join(GIVEN_BY_BENCHKIT)}"
            raise DeclarationError(f"option name {self.name!r} is not {expected}")
        if self.type not in _EXPECTED or not (self.default is None or type(self.default) is self.type):
            expected = "expected str, int, float or bool, and a value of it"
            raise DeclarationError(f"option {self.name!r}: type {self.type!r}, default {self.default!r}, {expected}")

    @property
    def expected(self) -> str:
        """What a value is to be, in words."""
        return _EXPECTED[self.type]

    def read(self, value: object) -> Value | None:
        """A value that was given, as text or as itself, in the option's type, or a ValueError; None is the default."""
        if value is None:
            return self.default
        from pydantic import TypeAdapter, ValidationError  # a third of the start of a command, and few have options

        try:
            read: Value = TypeAdapter(self.type).validate_python(value)
        except ValidationError:
            raise ValueError(f"{value!r} is not {self.expected}") from None
        return read


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Executor(Declaration):
    """Where trials run: ``benchkit run --executor NAME``.

    Parameters
    ----------
    make : str or callable
        Called with all its ``options`` and with those of these that it takes: ``jobs`` (int or None, how many functions
        may run at once), ``log`` (Path, a file for what workers print), ``memory`` (float or None, the MB that a
        function may hold). Returns a context manager with ``capacity`` (int) and ``submit(function, *args, timeout) ->
        concurrent.futures.Future``, where ``timeout`` is None or the seconds that the function may take from its start.
        Functions, arguments and results can be pickled. Every future ends: with what the function returned or raised,
        or with `benchkit.OverTimeError`, `benchkit.OverMemoryError` or `benchkit.WorkerDiedError`. Where there is no
        such place, entering raises `benchkit.ExecutorUnavailableError`. On the machine where a function is to run,
        `benchkit.LocalExecutor` runs it as ``--executor local`` does.
    options : sequence of ExecutorOption, default=()
        What the user may tell it by ``--executor-option OPTION=VALUE``.
    stops : bool, default=True
        Whether it can end a function that takes too long; if not, ``--timeout`` is refused.
    in_process : bool, default=False
        Whether functions run in the process that calls ``submit``, where code that was edited since is refused.
    elsewhere : bool, default=False
        Whether functions run on other machines whatever its options: ``jobs`` is None then unless the user says how
        many, and suites that are ``exclusive`` refuse it.
    """

    _code = ("make",)

    make: Any
    options: Sequence[ExecutorOption] = ()
    stops: bool = True
    in_process: bool = False
    elsewhere: bool = False

    def build(self, **given: Any) -> Any:
        """The executor: given its options, and what it takes of what benchkit gives to all."""
        options = {option.name: given.get(option.name, option.default) for option in self.options}
        taken = self.make.parameters().keys() & given.keys() & {*GIVEN_BY_BENCHKIT}
        return self.make(**{name: given[name] for name in taken}, **options)


# Without asking the command line for them, which loads all of it; a test compares.
OWN = (*("run", "plan", "list", "show", "data", "env", "report", "merge"), *("sync", "new", "check", "ui"))
"""The commands of benchkit itself."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Command(Declaration):
    """A command of the command line: ``benchkit NAME``, a name that is none of benchkit's own.

    Parameters
    ----------
    run : str or callable
        A function as typer takes it: its parameters are the command's arguments and options, its docstring is what
        ``benchkit NAME --help`` says. It is imported when the command is used. A `benchkit.RequestError` that it raises
        is one line for the user, and `typer.Exit` its exit code; all else is a failure of the plugin.
    function : str or callable, optional
        What does the same in Python: ``benchkit`` has it under the command's name.
    group : str, default="Commands of plugins"
        The heading under which ``benchkit --help`` lists it.
    """

    _code = ("run", "function")
    _reserved = OWN

    run: Any
    function: Any = None
    group: str = "Commands of plugins"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tracker(Declaration):
    """Where ``benchkit run`` writes a run beside its folder, unless told otherwise: a dashboard, a database.

    Parameters
    ----------
    make : str or callable
        Called once for each run with ``warn`` (a callable that takes a line for the user). Returns an object that
        listens to that run alone, by methods that are named, and marked by ``hookimpl``, as the hooks that listen.
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
        ``out`` and no process writes to it), ``connects`` (bool: whether to look at what costs time, too) and ``warn``.
    """

    _code = ("make", "send", "serve", "end_killed")

    make: Any
    send: Any = None
    serve: Any = None
    end_killed: Any = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RowSource(Declaration):
    """Where rows come from that stand beside a run's: ``benchkit run SUITE --against NAME:PLACE``.

    Parameters
    ----------
    open : str or callable
        Called with ``place``, the text of the request. Returns a `benchkit.RowsBeside`, or raises
        `benchkit.PublishError`.
    takes_unnamed : bool, default=False
        Whether a place that is given without a name is one of this source.
    """

    _code = ("open",)

    open: Any
    takes_unnamed: bool = False


@dataclass(frozen=True)
class ReportCell:
    """An entry of a table that is more than text.

    Attributes
    ----------
    text : str
    value : float, str or None, default=None
        What sorting goes by; the text where None.
    emphasis : str, default=""
        Words that say how it is shown: ``best``, ``good``, ``bad``, ``open``, ``failed``; others are classes of HTML.
    hint : str, default=""
        What hovering over it tells.
    href : str, default=""
        Where it leads.
    spread, mark, count : str, default=""
        What stands behind a mean, smaller where type is: ``±0.012``, ``*``, ``9 of 10``.
    """

    text: str
    value: float | str | None = None
    emphasis: str = ""
    hint: str = ""
    href: str = ""
    spread: str = ""
    mark: str = ""
    count: str = ""

    def __str__(self) -> str:
        text = f"{self.text} {self.spread}" if self.spread else self.text
        return f"{text}{self.mark} ({self.count})" if self.count else f"{text}{self.mark}"


@dataclass(frozen=True, kw_only=True)
class ReportTable:
    """What a report section says: a table, and a sentence under it.

    Attributes
    ----------
    columns : sequence of str
    rows : sequence of sequence of str, int, float, ReportCell or None
        One entry per column; None stands for what is not known.
    note : str, default=""
    title : str, default=""
        What tells it from other tables of its kind.
    align : sequence of str or float, optional
        For each column ``left`` or ``right``, in one line, or ``text``, which wraps, as all do where it is absent; a
        number is text that takes this share of a wide line.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    title: str = ""
    align: Sequence[str | float] = ()

    def __post_init__(self) -> None:
        n_columns = len(self.columns)
        if not self.align:
            object.__setattr__(self, "align", ("text",) * n_columns)
        words = {align for align in self.align if isinstance(align, str)}
        if wrong := {len(row) for row in self.rows} - {n_columns}:
            raise DeclarationError(f"a row of {min(wrong)} entries in a table of {n_columns} columns")
        if len(self.align) != n_columns or not words <= {"left", "right", "text"}:
            expected = f"'left', 'right', 'text' or a share of the line for each of {n_columns} columns"
            raise DeclarationError(f"align is {list(self.align)}, expected {expected}")

    @property
    def cells(self) -> list[list[ReportCell]]:
        """The rows, every entry of them as a cell."""
        return [[_cell(entry) for entry in row] for row in self.rows]


def _cell(entry: Any) -> ReportCell:
    return entry if isinstance(entry, ReportCell) else ReportCell("-" if entry is None else str(entry))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportFormat(Declaration):
    """A form of report: ``benchkit report RUN --format NAME``.

    Parameters
    ----------
    render : str or callable
        Takes an `Analysis`, returns the report of one suite: str, or bytes where it is no text.
    suffix : str
        Of files in this format: ``.md``.
    text : bool, default=True
        Whether it is text, which a terminal can show; what is not is written to files alone.
    join : str or callable, optional
        Takes the `Results` of a run of several suites and a list of each suite's `Analysis`, returns one report of all.
        Without it, the suites' reports follow each other.
    separate : bool, default=False
        Whether a run of several suites is written as a folder: a file for each suite, named for it, and what ``join``
        returns as ``index``. What is no text always is.
    """

    _code = ("render", "join")
    _patterns: ClassVar = {"name": NAME_IN_WORDS, "suffix": (re.compile(r"(\.[A-Za-z0-9]+)+"), "one such as '.md'")}

    render: Any
    suffix: str
    text: bool = True
    join: Any = None
    separate: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportSection(Declaration):
    """A section of every report, after the tables of means.

    Parameters
    ----------
    compute : str or callable
        Takes `Results`, returns a `ReportTable`, a `benchkit.document.Document`, whose blocks may be charts, or None
        where it has nothing to say of this run.
    title : str, default=""
        Its heading; the name where empty.
    """

    _code = ("compute",)

    compute: Any
    title: str = ""
