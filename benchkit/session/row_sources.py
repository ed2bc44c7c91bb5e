"""Opening the rows that are to stand beside a run's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchkit.errors import RequestError
from benchkit.journal import PublishError
from benchkit.plugin.declarations import RowsBeside
from benchkit.plugin.guard import PluginError, guarded, of
from benchkit.plugin.manager import Registry

DEFAULT = "published"
"""The source of a place that is given without one."""


class RowSourceError(PublishError, PluginError):
    """A row source raised something of its own."""

    exit_code = 2


@dataclass(frozen=True)
class RowsOfSource:
    """What a row source has opened, and whose it is, as `of` says it; see `RowsBeside`."""

    who: str
    rows: RowsBeside

    def answered(self, content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """Ids of trials that need not be run."""
        names: set[str] = self._call("answered", set, content, trials)
        return names

    def join(self, results: Any, answered: Mapping[str, Mapping[str, Any]]) -> Any:
        """The results with the rows that stand beside them."""
        return self._call("join", type(results), results, answered)

    def _call(self, method: str, kind: type, *arguments: Any) -> Any:
        with guarded(f"{self.who}: {method}", passing=(RequestError,), raising=RowSourceError):
            returned = getattr(self.rows, method)(*arguments)
            if not isinstance(returned, kind):
                raise TypeError(f"returned a {type(returned).__name__}, expected a {kind.__name__}")
        return returned


def open_rows(reference: str | Path, known: Registry) -> RowsBeside:
    """The rows of a place, ``NAME:PLACE`` or a place of the default source.

    Raises
    ------
    PublishError, UnknownNameError
    """
    name, colon, place = str(reference).partition(":")
    if not colon or name not in known.row_sources:
        name, place = DEFAULT, str(reference)
    source = known.row_sources[name]
    with guarded(f"{of(source)}: open", passing=(RequestError,), raising=RowSourceError):
        return RowsOfSource(of(source), source.open(place=place))
