"""Changing several files of a folder together: all of them, or none, wherever the process may end.

New contents are written beside the old ones first, those of the index last, under a name that says which index they
replace. From then on the change counts: whoever finds it half done, since a process ended while it put the files in
place, puts the rest in place. It is forgotten where the folder is another one meanwhile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from benchkit.journal import PublishError
from benchkit.published.crate import CRATE
from benchkit.published.index_format import INDEX, MOST_BYTES, parse_index
from benchkit.regular_file import read_regular

_NEW = ".partial"
_NOTHING = "nothing"


def write_together(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files; the caller holds the folder's lock.

    Parameters
    ----------
    folder : Path
    contents : mapping of str to bytes
        By path within the folder; the index among them speaks of the others.

    Raises
    ------
    OSError
        Nothing is changed, unless it was raised while files were put in place; the next `finish` does the rest.
    """
    finish(folder)
    others = [path for path in contents if path != INDEX]
    try:
        for path in others:
            target = _new(folder / path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents[path])
        unnamed = _new(folder / INDEX)
        unnamed.write_bytes(contents[INDEX])
        unnamed.replace(_pending(folder))
    except BaseException:
        for path in (*others, INDEX):
            _new(folder / path).unlink(missing_ok=True)
        raise
    finish(folder)


def finish(folder: Path) -> None:
    """Put in place what an earlier process wrote, if it wrote all and the folder is still the same; else forget it.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    OSError
    """
    pending = _pending(folder)
    for other in pendings(folder):
        if other != pending:
            other.unlink()
    if not pending.exists():
        return
    listed = _listed(pending)
    if listed is not None and all(_is_there(folder / path, digest) for path, digest in listed.items()):
        for path, digest in listed.items():
            if _has(_new(folder / path), digest):
                _new(folder / path).replace(folder / path)
        if _new(folder / CRATE).exists():
            _new(folder / CRATE).replace(folder / CRATE)
        pending.replace(folder / INDEX)
    else:
        pending.unlink()


def pendings(folder: Path) -> list[Path]:
    """Changes that a process began and did not end."""
    return sorted(folder.glob(f"{INDEX}.after-*{_NEW}"))


def _pending(folder: Path) -> Path:
    index = folder / INDEX
    replaced = hashlib.sha256(read_regular(index, MOST_BYTES)).hexdigest()[:16] if index.exists() else _NOTHING
    return folder / f"{INDEX}.after-{replaced}{_NEW}"


def _new(path: Path) -> Path:
    return path.with_name(path.name + _NEW)


def _listed(pending: Path) -> dict[str, str] | None:
    """Digests of files by an index; None where it is none."""
    try:
        index = parse_index(read_regular(pending, MOST_BYTES), pending.name)
    except (PublishError, OSError):
        return None
    return {file["path"]: file["sha256"] for file in index["files"]}


def _is_there(path: Path, digest: str) -> bool:
    """Whether a file has this content, or will have."""
    return _has(_new(path), digest) or _has(path, digest)


def _has(path: Path, digest: str) -> bool:
    return path.is_file() and hashlib.sha256(read_regular(path, MOST_BYTES)).hexdigest() == digest
