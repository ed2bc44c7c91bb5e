"""Suites that are given as a mapping in Python rather than as a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from benchkit.suite.source import Location, Source, SuiteError

PLACE = Path("suite-given-in-Python")
"""What stands for the file."""


@dataclass(frozen=True)
class PythonSource(Source):
    """A suite without a file: mistakes are told by key; paths are relative to the current folder."""

    def error(self, location: Location, message: str) -> SuiteError:
        """An error that names the key."""
        for setting in self.settings:
            parts = setting.split(".")
            if [str(part) for part in location[: len(parts)]] == parts:
                return super().error(location, message)
        _, key = self.line(location)
        return SuiteError(f"suite: {key}: {message}" if key else f"suite: {message}")


def plain_values(suite: Mapping[str, Any]) -> dict[str, Any]:
    """What a suite file would say: text, numbers, lists and mappings.

    Parameters
    ----------
    suite : mapping
        Tuples, paths, and NumPy's numbers and arrays stand for lists, texts and numbers.

    Raises
    ------
    SuiteError
        It holds something that no suite file could say.
    """
    return {str(key): _plain(item, [str(key)]) for key, item in suite.items()}


def _plain(value: Any, at: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item, [*at, str(key)]) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, [*at, str(place)]) for place, item in enumerate(value)]
    if isinstance(value, PurePath):
        return str(value)
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    if value is None or isinstance(value, str | int | float | bool):
        return value
    kind = type(value).__name__
    raise SuiteError(f"suite: {'.'.join(at)}: {kind}: nothing that a suite file can say: give text, numbers, lists")
