"""Watching a process: the files that it opens, the environment variables it reads, the modules it imports by name."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Literal

Kind = Literal["file", "variable", "module"]

_IMPORTING = "<frozen importlib"

_LIBRARY = Path(os.__file__).parent

# Through these pass the calls of whoever really reads.
_PASSING = (
    *(str(_LIBRARY / name) for name in ("os.py", "_collections_abc.py", "pkgutil.py", "importlib")),
    "<frozen os>",
    "<frozen _collections_abc>",
)


@dataclass(frozen=True)
class ReadItem:
    """Something that was read.

    Attributes
    ----------
    kind : {"file", "variable", "module"}
    name : str
        Path, name of the variable, or name of the module.
    callers : tuple of (str, int)
        Source files and lines that were at work, innermost first: all up to the import that was going on, if any. Of a
        variable and a module only who asked for it, for a library's own switches are no business of a plugin.
    importing : bool
        Whether an import was going on, so that this is not read again.
    during : str
        What was being tried.
    """

    kind: Kind
    name: str
    callers: tuple[tuple[str, int], ...]
    importing: bool
    during: str


class Watch:
    """Records what this process reads from now on. An audit hook cannot be taken out: use it in a process of its own.

    Attributes
    ----------
    during : str
        What is being tried; set by whoever tries it.
    readings : list of ReadItem
    """

    def __init__(self) -> None:
        self.during = ""
        self.readings: list[ReadItem] = []
        self._written: set[str] = set()
        self._copying: list[FrameType] = []

    def begin(self) -> None:
        """Record from here on."""
        sys.addaudithook(self._audit)
        self._watch_variables()
        self._watch_imports()

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if arguments[2] & (os.O_WRONLY | os.O_RDWR):
            self._written.add(path)  # what a process has written says nothing that it did not know
        elif path not in self._written:
            self._note("file", path, sys._getframe(1))

    def _watch_variables(self) -> None:
        # The class, not the object: others hold the object already.
        mapping: Any = type(os.environ)
        get, walk = mapping.__getitem__, mapping.__iter__

        def watched_get(environ: Any, name: str) -> str:
            frame = _asking(sys._getframe(1))
            if isinstance(name, str) and not any(frame is copying for copying in self._copying):
                self._note("variable", name, frame)
            value: str = get(environ, name)
            return value

        def watched_walk(environ: Any) -> Iterator[str]:
            # Who copies the whole environment, to hand it on, reads none of it.
            if (frame := _asking(sys._getframe(1))) is not None:
                self._copying.append(frame)
            return iter(list(walk(environ)))

        mapping.__getitem__, mapping.__iter__ = watched_get, watched_walk

    def _watch_imports(self) -> None:
        # `import_module` ends here, whoever holds it under whatever name; statements do not.
        bootstrap: Any = importlib._bootstrap
        load = bootstrap._gcd_import

        def watched_load(name: str, *where: Any) -> Any:
            frame = _asking(sys._getframe(1))
            module = load(name, *where)
            self._note("module", module.__name__, frame)
            return module

        bootstrap._gcd_import = watched_load

    def _note(self, kind: Kind, name: str, frame: FrameType | None) -> None:
        callers: list[tuple[str, int]] = []
        importing = False
        while frame is not None and not importing:
            source = frame.f_code.co_filename
            importing = source.startswith(_IMPORTING)
            if not importing and not (callers and kind != "file"):
                callers.append((source, frame.f_lineno))
            frame = frame.f_back
        self.readings.append(ReadItem(kind, name, tuple(callers), importing, self.during))


def _asking(frame: FrameType | None) -> FrameType | None:
    """The innermost frame that is not of the standard library's own way there."""
    while frame is not None and frame.f_code.co_filename.startswith(_PASSING):
        frame = frame.f_back
    return frame
