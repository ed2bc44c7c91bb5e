"""Declaring forms, sections and tables of reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from benchkit.plugin.declarations.declaration import NAME_IN_WORDS, Declaration, DeclarationError


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

    def has(self, emphasis: str) -> bool:
        """Whether it is shown so."""
        return emphasis in self.emphasis.split()


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
        for row in self.rows:
            if len(row) != len(self.columns):
                raise DeclarationError(f"a row of {len(row)} entries in a table of {len(self.columns)} columns")
        if self.align and len(self.align) != len(self.columns):
            raise DeclarationError(f"align has {len(self.align)} entries for {len(self.columns)} columns")
        if wrong := [each for each in self.align if isinstance(each, str) and each not in ("left", "right", "text")]:
            raise DeclarationError(f"align has {wrong[0]!r}, expected left, right, text or a share of the line")

    @property
    def cells(self) -> list[list[ReportCell]]:
        """The rows, every entry of them as a cell."""
        return [
            [
                entry if isinstance(entry, ReportCell) else ReportCell("-" if entry is None else str(entry))
                for entry in row
            ]
            for row in self.rows
        ]

    @property
    def alignment(self) -> Sequence[str | float]:
        """How each column is aligned."""
        return self.align or ("text",) * len(self.columns)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportFormat(Declaration):
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
    name, summary, reference : str
        As for `Algorithm`.
    compute : str or callable
        Takes `Results`, returns a `ReportTable`, a `benchkit.document.Document`, whose blocks may be charts, or None
        where it has nothing to say of this run.
    title : str, default=""
        Its heading; the name where empty.
    """

    _code = ("compute",)

    compute: Any
    title: str = ""
