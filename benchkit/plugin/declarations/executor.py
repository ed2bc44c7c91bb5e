"""Executors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchkit.plugin.declarations.deferred import defer
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
        function may hold), ``scheduler`` (str or None, where a cluster listens). Returns a context manager with
        ``capacity`` (int) and ``submit(function, *args, timeout) -> concurrent.futures.Future``, where ``timeout`` is
        None or the seconds that the function may take from its start. Functions, arguments and results can be pickled.
        Every future ends: with what the function returned or raised, or with `benchkit.OverTimeError`,
        `benchkit.OverMemoryError` or `benchkit.WorkerDiedError` where the function did not end by itself. Where there
        is no such place, entering raises `benchkit.ExecutorUnavailableError`.
    stops : bool, default=True
        Whether it can end a function that takes too long; if not, ``--timeout`` is refused.
    in_process : bool, default=False
        Whether functions run in the process that calls ``submit``. A run there is refused where it would run other code
        than the files hold now, because they were edited since they were imported.
    """

    name: str
    make: Any
    summary: str = ""
    stops: bool = True
    in_process: bool = False
    reference: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        defer(self, "make")

    def takes(self, option: str) -> bool:
        """Whether ``make`` takes this option."""
        return option in self.make.parameters()

    def build(self, **options: Any) -> Any:
        """The executor, given those of the options that it takes."""
        return self.make(**{name: value for name, value in options.items() if self.takes(name)})
