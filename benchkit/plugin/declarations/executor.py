"""Executors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.errors import DeclarationError
from benchkit.plugin.declarations.executor_option import GIVEN_BY_BENCHKIT, ExecutorOption
from benchkit.plugin.declarations.words import check_name


@dataclass(frozen=True, kw_only=True)
class Executor:
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

    name: str
    make: Any
    summary: str = ""
    options: Sequence[ExecutorOption] = ()
    stops: bool = True
    in_process: bool = False
    elsewhere: bool = False
    reference: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        defer(self, "make")
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
