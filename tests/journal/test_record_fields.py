"""A misspelt field of a record is found without running what reads it: by mypy in brackets, here in `get`."""

import ast
from pathlib import Path

import benchkit
from benchkit.journal import Record
from benchkit.published.rows import PublishedRow

FIELDS = {*Record.__annotations__, *PublishedRow.__annotations__, "ready_seconds"}  # the last of a worker, not kept
RECORDS = {"row", "record"}


def asked_for() -> list[tuple[str, str]]:
    """Names that `get` is called with on what is called a record, and where: mypy lets it have any name."""
    found = []
    for room in ("report", "session", "published", "cli"):
        for path in (Path(benchkit.__file__).parent / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Call(func=ast.Attribute(ast.Name(name), "get"), args=[ast.Constant(str(field)), *_]):
                        if name in RECORDS:
                            found.append((field, f"{path.name}:{node.lineno}"))
    return found


def test_every_field_that_is_asked_for_is_one():
    names = asked_for()
    assert len(names) > 40
    assert [where for field, where in names if field not in FIELDS] == []
