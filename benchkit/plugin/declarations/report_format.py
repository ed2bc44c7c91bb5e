"""Forms of reports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.errors import DeclarationError
from benchkit.plugin.declarations.words import check_name

_SUFFIX = re.compile(r"(\.[A-Za-z0-9]+)+")


@dataclass(frozen=True, kw_only=True)
class ReportFormat:
    """A form of report: ``benchkit report RUN --format NAME``.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
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

    name: str
    render: Any
    suffix: str
    summary: str = ""
    text: bool = True
    join: Any = None
    separate: bool = False
    reference: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        if not isinstance(self.suffix, str) or not _SUFFIX.fullmatch(self.suffix):
            raise DeclarationError(f"{self.name!r}: suffix is {self.suffix!r}, expected one such as '.md'")
        defer(self, "render", "join")
