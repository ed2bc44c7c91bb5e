"""Declaring an executor and its options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchkit.plugin.declarations.declaration import Declaration, DeclarationError

Value = str | int | float | bool

# What every executor is called with, where it takes it.
GIVEN_BY_BENCHKIT = ("jobs", "log", "memory")

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_EXPECTED = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


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
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise DeclarationError(f"option name {self.name!r} is not lower-case words joined by underscores")
        if self.name in GIVEN_BY_BENCHKIT:
            raise DeclarationError(f"option {self.name!r} has the name of what benchkit itself gives to every executor")
        if self.type not in _EXPECTED:
            raise DeclarationError(f"option {self.name!r}: type is {self.type!r}, expected str, int, float or bool")
        if self.default is not None and type(self.default) is not self.type:
            raise DeclarationError(f"option {self.name!r}: default is {self.default!r}, expected {self.expected}")

    @property
    def expected(self) -> str:
        """What a value is to be, in words."""
        return _EXPECTED[self.type]

    def read(self, value: object) -> Value | None:
        """A value that was given, as text or as itself, in the option's type; None stands for the default.

        Raises
        ------
        ValueError
            It cannot be read as that.
        """
        if value is None:
            return self.default
        if self.type is float and type(value) is int:
            return float(value)
        if type(value) is self.type:
            return value
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not {self.expected}")
        if self.type is bool:
            if value.lower() not in _TRUTH:
                raise ValueError(f"{value!r} is not {self.expected}")
            return _TRUTH[value.lower()]
        return self.type(value)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Executor(Declaration):
    """Where trials run: ``benchkit run --executor NAME``.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    make : str or callable
        Called with those of these that it takes: ``jobs`` (int, how many functions may run at once; None for as many as
        there is room for), ``log`` (Path, a file for what workers print), ``memory`` (float or None, the MB that a
        function may hold); and with all its ``options``, as keyword arguments. Returns a context manager with
        ``capacity`` (int) and ``submit(function, *args, timeout) -> concurrent.futures.Future``, where ``timeout`` is
        None or the seconds that the function may take from its start. Functions, arguments and results can be pickled.
        Every future ends: with what the function returned or raised, or with `benchkit.OverTimeError`,
        `benchkit.OverMemoryError` or `benchkit.WorkerDiedError` where the function did not end by itself. Where there
        is no such place, entering raises `benchkit.ExecutorUnavailableError`. On the machine where a function is to
        run, `benchkit.LocalExecutor` runs it as ``--executor local`` does: in a process that can be killed, under the
        limits, in the environment of its algorithm.
    options : sequence of ExecutorOption, default=()
        What the user may tell it by ``--executor-option OPTION=VALUE``.
    stops : bool, default=True
        Whether it can end a function that takes too long; if not, ``--timeout`` is refused.
    in_process : bool, default=False
        Whether functions run in the process that calls ``submit``. A run there is refused where it would run other code
        than the files hold now, because they were edited since they were imported.
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

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [option.name for option in self.options]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise DeclarationError(f"{self.name!r}: two options are named {twice[0]!r}")

    def takes(self, option: str) -> bool:
        """Whether ``make`` takes this option."""
        return option in self.make.parameters()

    @property
    def known_options(self) -> dict[str, ExecutorOption]:
        """Its options by name."""
        return {option.name: option for option in self.options}

    def build(self, **given: Any) -> Any:
        """The executor: given its options, and what it takes of what benchkit gives to all."""
        known = self.known_options
        options = {name: given.get(name, option.default) for name, option in known.items()}
        common = {name: given[name] for name in GIVEN_BY_BENCHKIT if name in given and self.takes(name)}
        return self.make(**common, **options)
