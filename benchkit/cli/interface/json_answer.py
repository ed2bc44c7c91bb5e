"""Answers as JSON, and the schema of each."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import typer

from benchkit.cli.interface.json_rows import ANSWERS

JsonOption = Annotated[bool, typer.Option("--json", help="As JSON: 'benchkit schema answers' describes it.")]


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
        One of `benchkit.cli.interface.json_rows.ANSWERS`.
    rows : iterable of mapping
        As the command's type of rows has them.
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


_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def answers_schema() -> dict[str, Any]:
    """JSON schema (draft 2020-12) of the answers of all commands."""
    defined = {command: _answer(command, row, summary) for command, (row, summary) in ANSWERS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answers of benchkit",
        "description": "What commands print with --json.",
        "anyOf": [{"$ref": f"#/$defs/{command.replace(' ', '-')}"} for command in defined],
        "$defs": {command.replace(" ", "-"): schema for command, schema in defined.items()},
    }


class Field(NamedTuple):
    """A field of a row or summary."""

    name: str
    type: Any
    meaning: str
    required: bool


def fields(kind: type) -> Iterator[Field]:
    """The fields of a row or summary."""
    for name, hint in get_type_hints(kind, include_extras=True).items():
        bare, (meaning,) = get_args(hint)[0], hint.__metadata__
        required = get_origin(bare) is not NotRequired
        yield Field(name, bare if required else get_args(bare)[0], meaning, required)


def _answer(command: str, row: type, summary: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "benchkit": {"type": "string", "description": "version of benchkit"},
            "command": {"const": command},
            "rows": {"type": "array", "items": _schema(row)},
            "summary": _schema(summary),
            "notes": {"type": "array", "items": {"type": "string"}, "description": "warnings and cautions"},
        },
        "required": ["benchkit", "command", "rows", "summary", "notes"],
        "additionalProperties": False,
    }


def _schema(kind: Any) -> dict[str, Any]:
    """The schema of one type."""
    if kind is Any:
        return {}
    if kind in _TYPES:
        return {"type": _TYPES[kind]}
    if is_typeddict(kind):
        return {
            "type": "object",
            "description": (kind.__doc__ or "").strip(),
            "properties": {each.name: {**_schema(each.type), "description": each.meaning} for each in fields(kind)},
            "required": [each.name for each in fields(kind) if each.required],
            "additionalProperties": False,
        }
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": _schema(inner[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(inner[1])}
    return {"anyOf": [_schema(each) for each in inner]}  # a union


def in_words(kind: Any) -> str:
    """A type as the page has it."""
    if kind is Any:
        return "anything"
    if kind in _TYPES:
        return _TYPES[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(f'"{each}"' for each in inner)
    if origin is list:
        return f"list of {in_words(inner[0])}"
    if origin is dict:
        return f"object of {in_words(inner[1])}"
    return " or ".join(in_words(each) for each in inner)
