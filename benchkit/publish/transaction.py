"""Changing several files of a folder together: all of them, or none, wherever the process may end.

New contents are written beside the old ones first, that of the index last. From then on the change counts, and whoever
finds it half done, since a process ended while it put the files in place, puts the rest in place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_NEW = ".partial"
_KINDS = (".parquet", ".json")


def write_together(folder: Path, contents: Mapping[str, bytes], index: str) -> None:
    """Write files; the caller holds the folder's lock.

    Parameters
    ----------
    folder : Path
    contents : mapping of str to bytes
        By path within the folder.
    index : str
        The path of the JSON file among them that speaks of the others.

    Raises
    ------
    OSError
        Nothing is changed, unless it was raised while files were put in place; the next `finish` does the rest.
    """
    finish(folder, index)
    for path in (*(path for path in contents if path != index), index):
        target = _new(folder / path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(contents[path])
    finish(folder, index)


def finish(folder: Path, index: str) -> None:
    """Put in place what an earlier process wrote, if it wrote all; else forget it.

    Parameters
    ----------
    folder : Path
    index : str

    Raises
    ------
    OSError
    """
    new = _new(folder / index)
    waiting = [path for path in sorted(folder.rglob(f"*{_NEW}")) if path != new and path.stem.endswith(_KINDS)]
    if new.exists() and _is_whole(new):
        for path in waiting:
            path.replace(path.with_name(path.name.removesuffix(_NEW)))
        new.replace(folder / index)
    else:
        for path in (*waiting, new):
            path.unlink(missing_ok=True)


def _new(path: Path) -> Path:
    return path.with_name(path.name + _NEW)


def _is_whole(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True
