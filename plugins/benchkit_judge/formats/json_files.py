"""JSON files below paths that a user named, and what goes wrong with them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchkit import TableError


def files_below(paths: Sequence[Path], pattern: str) -> Iterator[Path]:
    """The files named, and those of the folders named that fit a pattern, in the order of their names."""
    for path in paths:
        if path.is_dir():
            yield from sorted(each for each in path.rglob(pattern) if each.is_file())
        elif path.is_file():
            yield path
        elif path.exists():
            raise TableError(f"{path}: a device or a pipe, no file of data")
        else:
            raise TableError(f"{path}: no such file or folder")


def load_json(path: Path) -> Any:
    """What a JSON file holds."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise TableError(f"{path}: cannot be read as JSON: {str(error)[:120]}") from None
