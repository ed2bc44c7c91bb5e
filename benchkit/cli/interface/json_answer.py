"""Answers as JSON; docs/json.md has the keys of each."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="As JSON, for other programs.")]


def print_json(
    command: str,
    rows: Iterable[Mapping[str, object]],
    summary: Mapping[str, object] | None = None,
    notes: Iterable[str] = (),
) -> None:
    """Print an answer on standard output.

    Parameters
    ----------
    command : str
        Its name, as on the page docs/json.md.
    rows : iterable of mapping
        With the keys that the page lists.
    summary : mapping, optional
        What is said of all rows.
    notes : iterable of str
        Sentences for people: warnings and cautions.
    """
    print(json_answer(command, rows, summary, notes))


def json_answer(
    command: str,
    rows: Iterable[Mapping[str, object]],
    summary: Mapping[str, object] | None = None,
    notes: Iterable[str] = (),
) -> str:
    """An answer as text; see `print_json`."""
    from benchkit import __version__

    answer = {
        "benchkit": __version__,
        "command": command,
        "rows": list(rows),
        "summary": summary or {},
        "notes": list(notes),
    }
    return json.dumps(_plain(answer), indent=1, allow_nan=False, default=str)


def _plain(value: Any) -> Any:
    """What JSON knows: numbers of numpy as Python's, what is not finite as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
