"""The registry with the plugin files that a command was given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchkit.plugin.manager import Registry


def registry_with(files: Sequence[Path] | None) -> Registry:
    """What is installed, and what the files declare.

    Raises
    ------
    RequestError
        A file cannot be used: it was asked for, so this is not a warning.
    """
    from benchkit.errors import RequestError
    from benchkit.plugin.manager import registry

    for path in files or ():
        if not path.is_file():
            raise RequestError(f"no such plugin file: {path}")
    known = registry(tuple(str(path.resolve()) for path in files or ()))
    if broken := [str(problem) for problem in known.problems if problem.plugin in known.files]:
        raise RequestError("; ".join(broken))
    return known
