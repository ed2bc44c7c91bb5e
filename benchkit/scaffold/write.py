"""Writing a new plugin from its template.

The templates are packages that would work as they are; they are called ``my-method`` (``my_method``, ``MyMethod``), and
that name is replaced, in the files and in their names.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from benchkit.errors import RequestError
from benchkit.plugin.declarations import NAME

KINDS = ("algorithm", "adversary", "dataset", "metric", "tuner")

_TEMPLATES = Path(__file__).parent / "templates"


class ScaffoldError(RequestError):
    """The plugin cannot be written as asked for; the message is one line for the user."""


def write_plugin(name: str, kind: str, parent: Path) -> list[Path]:
    """Write a package that installs, passes its tests and declares one working example.

    Parameters
    ----------
    name : str
        Lower-case words joined by hyphens: of the folder, the plugin and what it declares.
    kind : str
        One of `KINDS`.
    parent : Path
        The new folder is made in this one.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    ScaffoldError
        The name is no such name or is taken, or the folder cannot be written.
    """
    _check(name, kind)
    folder = parent / name
    if folder.exists():
        raise ScaffoldError(f"{folder} exists already: choose another name, or remove it")
    partial = parent / f".{name}.{os.getpid()}.partial"  # renamed when it is whole
    written = []
    try:
        for template in (_TEMPLATES / "every-kind", _TEMPLATES / kind):
            for source in sorted(path for path in template.rglob("*") if path.is_file() and path.suffix != ".pyc"):
                target = Path(_renamed(str(source.relative_to(template)), name))
                (partial / target).parent.mkdir(parents=True, exist_ok=True)
                (partial / target).write_text(_renamed(source.read_text(encoding="utf-8"), name), encoding="utf-8")
                written.append(folder / target)
        partial.rename(folder)
    except OSError as error:
        raise ScaffoldError(f"{folder}: cannot write: {error.strerror or error}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return written


def _check(name: str, kind: str) -> None:
    if kind not in KINDS:
        raise ScaffoldError(f"unknown kind {kind!r}; known: {', '.join(KINDS)}")
    if not NAME.fullmatch(name) or name[0].isdigit():
        suggestion = re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()).strip(
            "-0123456789"
        )
        hint = f"; how about {suggestion!r}?" if NAME.fullmatch(suggestion) else ""
        raise ScaffoldError(f"{name!r} is not lower-case words joined by hyphens{hint}")


def _renamed(text: str, name: str) -> str:
    """A template's text with the plugin's name in each of its three spellings."""
    words = name.split("-")
    title = "".join(word.capitalize() for word in words)
    return text.replace("my-method", name).replace("my_method", "_".join(words)).replace("MyMethod", title)
