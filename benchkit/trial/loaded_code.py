"""Whether the code that this process has loaded is what its source says now."""

from __future__ import annotations

import importlib.util
import marshal
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

# By module: what it was imported by, and the digest of its source then. For as long as the process lives.
_noted: dict[str, tuple[ModuleSpec | None, str]] = {}

_HEADER = 16  # bytes before the code in a compiled file: magic number, flags, time and size of the source


def note_loaded(name: str, digest: str) -> None:
    """Note what the source of a module says, where it is loaded and was not noted before.

    Parameters
    ----------
    name : str
    digest : str
        Of its source, as it was when the module was imported.
    """
    module = sys.modules.get(name)
    if module is None:
        return
    noted = _noted.get(name)
    if noted is None or noted[0] is not module.__spec__:  # imported, or reloaded
        _noted[name] = module.__spec__, digest


def is_edited(name: str, path: Path, digest: str) -> bool:
    """Whether a module was loaded from an earlier version of its source.

    Parameters
    ----------
    name : str
    path : Path
        Its source.
    digest : str
        Of the source as it is now.
    """
    module = sys.modules.get(name)
    if module is None or getattr(module, "__file__", None) != str(path):
        return False
    noted = _noted.get(name)
    if noted is not None and noted[0] is module.__spec__:
        return noted[1] != digest
    return _is_newer_than_compiled(path, getattr(module, "__cached__", None))


def _is_newer_than_compiled(path: Path, cached: str | None) -> bool:
    """Whether nobody has imported a source since it was edited: who has loaded it, has loaded what it was before."""
    try:
        compiled = Path(cached or "").read_bytes()
        source, state = path.read_bytes(), path.stat()
    except OSError:  # it was never compiled to a file: nothing is known
        return False
    if compiled[:4] != importlib.util.MAGIC_NUMBER or any(compiled[4:8]):
        return False
    stamps = int(state.st_mtime) & 0xFFFFFFFF, state.st_size & 0xFFFFFFFF
    if compiled[8:_HEADER] == b"".join(stamp.to_bytes(4, "little") for stamp in stamps):
        return False
    older: object = marshal.loads(compiled[_HEADER:])
    return older != compile(source, str(path), "exec", dont_inherit=True)
