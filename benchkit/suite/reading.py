"""Reading a suite: plain values, and a source that knows where each of them stands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

import yaml

from benchkit.suite import yaml_text
from benchkit.suite.source import IN_PYTHON, PythonSource, SuiteError, SuiteText


def read(given: Path | Mapping[str, Any]) -> tuple[dict[str, Any], SuiteText]:
    """Plain values and a source, of a file or of what such a file says.

    Parameters
    ----------
    given : Path or mapping
        A YAML file; or its keys, where tuples, paths, and NumPy's numbers and arrays stand for lists, texts and
        numbers.

    Raises
    ------
    SuiteError
        The file cannot be read, or the mapping holds something that no file could say.
    """
    if isinstance(given, Mapping):
        said = _without_anchors(plain_values(given))
        try:
            root = yaml_text.compose(yaml_text.write(said))
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise SuiteError(f"suite: cannot be written as a file: {str(error).splitlines()[0]}") from None
        assert root is not None  # of a mapping, even an empty one
        return said, PythonSource(IN_PYTHON, root)
    try:
        values, tree = yaml_text.read(given)
    except yaml_text.UnreadableError as error:
        raise SuiteError(str(error)) from None
    return _without_anchors(values), SuiteText(given, tree)


def read_title(path: Path) -> str:
    """A shipped suite's title; of the rest of the file nothing is read, where the title stands at its top."""
    values = (
        event.value
        for event in yaml_text.events(path.read_text(encoding="utf-8"))
        if isinstance(event, yaml.ScalarEvent)
    )
    # Keys and values take turns, down to the first value that is no scalar.
    return next((str(next(values)) for key in values if key == "title"), "")


def _without_anchors(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Without the keys ``x-...``: a place for anchors that several entries refer to."""
    return {key: value for key, value in values.items() if not (isinstance(key, str) and key.startswith("x-"))}


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
