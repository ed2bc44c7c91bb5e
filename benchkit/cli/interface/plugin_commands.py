"""Commands that plugins add: listed without importing them, and without plugins where benchkit's own are used."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from benchkit.cli.interface.console import EXIT_CODES, SOME_FAILED, print_error

# What the command line's parser raises. Typer carries a click of its own, and names this class by its heirs alone.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class WithCommandsOfPlugins(TyperGroup):
    """Benchkit's own commands, and those that plugins declare."""

    def invoke(self, ctx: Any) -> Any:
        """Carry out a command; it ends with 1 where a plugin failed in it, which is said if nobody has said it."""
        from benchkit.plugin.guard import failures

        with failures() as noted:
            try:
                returned = super().invoke(ctx)
            finally:
                for line in [line for line, shown in noted.items() if not shown]:
                    print_error(line)
        if noted:
            raise typer.Exit(SOME_FAILED)
        return returned

    def list_commands(self, ctx: Any) -> list[str]:
        """Benchkit's own, then the others."""
        self._add_declared()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command; one of a plugin with no more than its name and summary, which is what lists show."""
        if cmd_name not in self.commands:
            self._add_declared()
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is to be used."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, _imported(str(command.name)) if isinstance(command, _Declared) else command, rest

    def _add_declared(self) -> None:
        """Add what plugins declare; finding them takes a tenth of a second."""
        from benchkit.plugin.manager import registry

        for name, declared in registry().commands.items():
            self.commands.setdefault(name, _Declared(name, help=declared.summary, rich_help_panel=declared.group))


class _Declared(TyperCommand):
    """A command of a plugin, of which nothing is imported yet."""


def _imported(name: str) -> Any:
    """The command of a plugin, refused where another plugin declares one of this name as well."""
    from benchkit.errors import RequestError
    from benchkit.plugin.guard import guarded, of
    from benchkit.plugin.manager import registry

    known = registry()
    for problem in known.problems:
        if problem.reason.startswith(f"command {name!r} is already declared"):
            raise RequestError(str(problem))
    declared = known.commands[name]
    who = f"{of(declared)}: run"
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    with guarded(who, passing=(RequestError,), raising=RequestError):
        alone.command(name, epilog=EXIT_CODES)(declared.run.resolve())
        command = typer.main.get_command(alone)
    carry_out: Any = command.callback

    def call(**arguments: Any) -> Any:
        passing = (RequestError, typer.Exit, typer.Abort, UsageError, BrokenPipeError)
        with guarded(who, passing=passing, lasts=True):
            return carry_out(**arguments)

    command.callback = call
    return command
