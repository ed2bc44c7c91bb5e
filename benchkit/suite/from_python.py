"""What a mapping in Python says as a suite file would say it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from benchkit.suite.source import SuiteError


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
