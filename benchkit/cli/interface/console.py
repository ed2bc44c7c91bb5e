"""The console: what is printed where, answers as JSON (docs/json.md has the keys of each), mistakes in one line."""

import json
import math
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchkit.document.text import printable
from benchkit.errors import RequestError, is_full

EXIT_CODES = "Exit codes: 0 done; 1 some trials or checks failed; 2 wrong input, said in one line; 130 interrupted."
OK = 0
SOME_FAILED = 1
USER_MISTAKE = 2
INTERRUPTED = 130


def mistake(error: Exception) -> tuple[str, int] | None:
    """An exception as one line for the user, and the exit code; None of a mistake of ours."""
    code = getattr(error, "exit_code", USER_MISTAKE)
    line = str(error) if isinstance(error, RequestError) else ""
    if is_full(error) and code != SOME_FAILED:  # which says what is kept
        where = getattr(error, "filename", None) or "standard output"
        line = line or f"{where}: cannot write: {getattr(error, 'strerror', None) or error}"
        return f"{line}; what was written before is kept: make room, and give the same command again", SOME_FAILED
    if not line and isinstance(error, OSError) and error.filename:  # of a path that was named
        name = str(error.filename)
        line = f"{name[:77]}{'...' * (len(name) > 77)}: {error.strerror}"
    return (line, code) if line else None


def command(*words: object) -> str:
    """What to type: a path with a blank stays one word of it."""
    return shlex.join(["benchkit", *map(str, words)])


def print_error(message: str) -> None:
    """One line on standard error."""
    print(f"benchkit: {printable(message)}", file=sys.stderr)


def print_blocks(*blocks: Any) -> None:
    """Tables, sentences and notes of `benchkit.document`, on standard output."""
    from benchkit.document import Document
    from benchkit.document.terminal import Console, show

    show(Document("", blocks), Console())


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], align: Sequence[str] = (), *more: Any
) -> None:
    """A table on standard output, its columns aligned as in a `ReportTable`, and more blocks below it."""
    from benchkit.document import Table
    from benchkit.plugin.declarations import ReportTable

    print_blocks(Table(ReportTable(title=title, columns=columns, rows=list(rows), align=align)), *more)


def json_answer(
    command: str,
    rows: Iterable[Mapping[str, object]],
    summary: Mapping[str, object] | None = None,
    notes: Iterable[str] = (),
) -> str:
    """An answer as text: ``rows`` with the keys that docs/json.md lists, ``summary`` of all, ``notes`` for people."""
    from benchkit import __version__

    answer = {"benchkit": __version__, "command": command, "rows": list(rows), "summary": summary or {}}
    return json.dumps(_plain({**answer, "notes": list(notes)}), indent=1, allow_nan=False, default=str)


def _plain(value: Any) -> Any:
    """What JSON knows: numbers of numpy as Python's, what is not finite as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
