"""What every command keeps to."""

from __future__ import annotations

import typer

from benchkit.plugin.declarations import Command
from benchkit.testing.rule import require, rule


@rule
def can_be_read(command: Command) -> None:
    """Its parameters are what typer makes arguments and options of, and a docstring says what it does."""
    alone = typer.Typer(add_completion=False)
    alone.command(command.name)(command.run.resolve())
    made = typer.main.get_command(alone)
    require(bool(made.help), "its function has no docstring: 'benchkit NAME --help' says nothing")


RULES = (can_be_read,)
