"""Commands: what a plugin adds to the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.errors import DeclarationError
from benchkit.plugin.declarations.words import check_name

# Without asking the command line for them, which loads all of it; a test compares.
OWN = (
    *("run", "plan", "list", "show", "data", "env", "report", "compare", "merge", "debug"),
    *("sync", "clean", "new", "check", "ui", "schema", "audit", "judge"),
)
"""The commands of benchkit itself."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of the command line: ``benchkit NAME``.

    Parameters
    ----------
    name, reference : str
        As for `Algorithm`; none of benchkit's own commands, and of no other plugin's.
    summary : str
        What ``benchkit --help`` says of it.
    run : str or callable
        A function as typer takes it: its parameters are the command's arguments and options, its docstring is what
        ``benchkit NAME --help`` says. Named by ``"module:function"``, it is imported when the command is used. A
        `benchkit.RequestError` that it raises is one line for the user, and `typer.Exit` its exit code; all else, also
        ``SystemExit``, is a failure of the plugin.
    """

    name: str
    run: Any
    summary: str
    reference: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        if self.name in OWN:
            raise DeclarationError(f"command {self.name!r} is benchkit's own: name it otherwise")
        defer(self, "run")
