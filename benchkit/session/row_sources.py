"""Opening the rows that are to stand beside a run's."""

from __future__ import annotations

from pathlib import Path

from benchkit.plugin.declarations import RowsBeside
from benchkit.plugin.manager import Registry

DEFAULT = "published"
"""The source of a place that is given without one."""


def open_rows(reference: str | Path, known: Registry) -> RowsBeside:
    """The rows of a place, ``NAME:PLACE`` or a place of the default source.

    Parameters
    ----------
    reference : str or Path
    known : Registry

    Raises
    ------
    PublishError, UnknownNameError
    """
    name, colon, place = str(reference).partition(":")
    if not colon or name not in known.row_sources:
        name, place = DEFAULT, str(reference)
    rows: RowsBeside = known.row_sources[name].open(place=place)
    return rows
