"""Sections of a report."""

from __future__ import annotations

import warnings
from dataclasses import InitVar, dataclass
from typing import Any

from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.errors import DeclarationError
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
    make : str or callable, optional
        What ``compute`` was called in version 0.2; taken for one release more.
    """

    name: str
    compute: Any = None
    summary: str = ""
    title: str = ""
    reference: str = ""
    make: InitVar[Any] = None

    def __post_init__(self, make: Any) -> None:
        check_name(self)
        if make is not None:
            warnings.warn("ReportSection(make=...) is now ReportSection(compute=...)", DeprecationWarning, stacklevel=3)
            object.__setattr__(self, "compute", make)
        if self.compute is None:
            raise DeclarationError(f"report section {self.name!r} computes nothing: give it compute=...")
        defer(self, "compute")
