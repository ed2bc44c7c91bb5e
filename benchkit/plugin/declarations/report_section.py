"""Sections of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.words import check_name


@dataclass(frozen=True, kw_only=True)
class ReportSection:
    """A section of every report, after the tables of means.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`.
    compute : str or callable
        Takes `Results`, returns a `ReportTable`, or None where it has nothing to say of this run.
    title : str, default=""
        Its heading; the name where empty.
    """

    name: str
    compute: Any
    summary: str = ""
    title: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        defer(self, "compute")
