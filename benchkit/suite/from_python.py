"""Suites that are given as a mapping in Python rather than as a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import yaml

from benchkit.suite import yaml_text
from benchkit.suite.source import Location, Source, SuiteError

_PLACE = Path("suite-given-in-Python")


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


def read_mapping(suite: Mapping[str, Any]) -> tuple[dict[str, Any], Source]:
    """Plain values and a source, as `benchkit.suite.load.read` makes them of a file.

    Parameters
    ----------
    suite : mapping
        The keys of a suite file. Tuples, paths, and NumPy's numbers and arrays stand for lists, texts and numbers.

    Raises
    ------
    SuiteError
        It holds something that no suite file could say.
    """
    values = {key: value for key, value in _plain(suite, []).items() if not str(key).startswith("x-")}
    try:
        root = yaml_text.compose(yaml_text.write(values))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SuiteError(f"suite: cannot be written as a file: {str(error).splitlines()[0]}") from None
    assert root is not None  # of a mapping, even an empty one
    return values, PythonSource(_PLACE, root)


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
