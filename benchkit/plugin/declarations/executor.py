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
    stops : bool, default=True
        Whether it can end a function that takes too long; if not, ``--timeout`` is refused.
    """

    name: str
    make: Any
    summary: str = ""
    stops: bool = True
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
