"""The entry point: the list of commands, those of plugins among them, and what happens to errors."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from benchkit import __version__
from benchkit.cli import (
    check,
    clean,
    compare,
    data,
    debug,
    env,
    list_,
    merge,
    new,
    plan,
    report,
    run,
    schema,
    show,
    sync,
    ui,
)
from benchkit.cli.interface.console import (
    EXIT_CODES,
    INTERRUPTED,
    OK,
    SOME_FAILED,
    USER_MISTAKE,
    mistake,
    print_error,
)
from benchkit.errors import RequestError, is_full
from benchkit.plugin.nearest_name import nearest_name

# What the command line's parser raises. Typer carries a click of its own, and names this class by its heirs alone.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class WithCommandsOfPlugins(TyperGroup):
    """Benchkit's own commands, and those that plugins declare: listed without importing them.

    Where one of benchkit's own is used, plugins are not even looked for, which takes a tenth of a second.
    """

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
        from benchkit.plugin.manager import registry

        for name, declared in registry().commands.items():
            self.commands.setdefault(name, _Declared(name, help=declared.summary, rich_help_panel=declared.group))


class _Declared(TyperCommand):
    """A command of a plugin, of which nothing is imported yet."""


def _imported(name: str) -> Any:
    """The command of a plugin, refused where another plugin declares one of this name as well."""
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


app = typer.Typer(
    name="benchkit",
    cls=WithCommandsOfPlugins,
    epilog=EXIT_CODES,
    help="Robustness benchmarks: a YAML suite in, robustness curves with honest statistics out.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"benchkit {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of benchkit itself."""


# The headings of the help; a plugin's command names its own.
RUN, WRITE = "Run a suite", "Write plugins"
_COMMANDS = {
    RUN: (
        *(run.run, plan.plan, report.report, compare.compare, ui.ui, list_.list_, show.show),
        *(merge.merge, debug.debug, sync.sync, clean.clean),
    ),
    WRITE: (check.check, schema.schema),
}
_GROUPS = {"data": (data.app, RUN), "env": (env.app, RUN), "new": (new.app, WRITE)}
for _panel, _functions in _COMMANDS.items():
    for _function in _functions:
        app.command(_function.__name__.strip("_"), rich_help_panel=_panel, epilog=EXIT_CODES)(_function)
for _name, (_group, _panel) in _GROUPS.items():
    app.add_typer(_group, name=_name, rich_help_panel=_panel, epilog=EXIT_CODES)
    for _command in _group.registered_commands:
        _command.epilog = EXIT_CODES


def _explain_usage(error: Any) -> None:
    """One line that says what is wrong with the arguments, or the help where there are none."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return
    help_is = f"'{error.ctx.command_path if error.ctx else 'benchkit'} --help'"
    message = " ".join(error.format_message().split()).rstrip(".").replace(". Did you mean", "; did you mean")
    if type(error).__name__ == "NoSuchOption":
        # The parser lists all that are a little alike, by their dashes too.
        near = nearest_name(error.option_name.strip("-"), [each.strip("-") for each in error.possibilities or ()])
        message = f"{error.message}; did you mean '--{near}'?" if near else error.message
    print_error(f"{message} See {help_is}" if message.endswith("?") else f"{message}; see {help_is}")


def main() -> None:
    """Run the command line; the user's mistakes end in one line and exit code 2."""
    stdout = sys.stdout
    if isinstance(stdout, io.TextIOWrapper):
        stdout.reconfigure(errors="replace")  # a terminal of few characters shows a question mark for the others
    try:
        code = app(prog_name="benchkit", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code)
    except (KeyboardInterrupt, typer.Abort):
        print_error("interrupted")
        sys.exit(INTERRUPTED)
    except UsageError as error:
        _explain_usage(error)
        sys.exit(USER_MISTAKE)
    except SystemExit as end:
        # The parser ends with 1 where nobody reads what is printed, and leaves a wrapper around the output.
        sys.exit(OK if sys.stdout is not stdout else end.code)
    except BrokenPipeError:
        # The reader, such as head, has what it wanted. What is still buffered must not fail when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(OK)
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None and is_full(error):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())  # or Python fails to flush it when it ends
        if (line_and_code := mistake(error)) is None:
            raise
        print_error(line_and_code[0])
        sys.exit(line_and_code[1])
    finally:
        gc.freeze()  # or Python, as it ends, looks for garbage among all that was imported, for up to a second
