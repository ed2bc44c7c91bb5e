"""The entry point: the list of commands, those of plugins among them, and what happens to errors."""

import gc
import io
import os
import sys
import warnings
from typing import Annotated, Any, NamedTuple

import typer
from typer import Option
from typer.core import TyperCommand, TyperGroup

from benchkit import __version__
from benchkit.cli.interface.console import EXIT_CODES, INTERRUPTED, OK, SOME_FAILED, USER_MISTAKE, mistake, print_error
from benchkit.errors import RequestError, is_full
from benchkit.plugin.declarations import Deferred
from benchkit.plugin.parameters import nearest_name

# What the command line's parser raises. Typer carries a click of its own, and names this class by its heirs alone.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]

# The headings of the help; a plugin's command names its own.
_RUN, _WRITE = "Run a suite", "Write plugins"
# Benchkit's own commands: where they are, and what the help says of them. The one that is used is imported, no other.
OWN_COMMANDS = {
    "run": ("run:run", _RUN, "Run a suite, or all that a collection includes; an interrupted run resumes."),
    "plan": ("run:plan", _RUN, "Say what would run, what is reused, and how long it may take; run nothing."),
    "report": ("report:report", _RUN, "Print the results of a run, finished or not."),
    "ui": ("past:ui", _RUN, "Show runs in the browser: the curves on a tracker's pages, such as MLflow's."),
    "list": ("declared:list_", _RUN, "List what plugins declare (algorithms, datasets and more), suites or plugins."),
    "show": ("declared:show", _RUN, "Print parameters, grid, reference and formula of anything that list names."),
    "merge": ("past:merge", _RUN, "Join separate runs of one suite, such as shards, into one run."),
    "sync": ("past:sync", _RUN, "Send a finished run to MLflow, if that was down or is another server."),
    "data": ("fetch:data", _RUN, "Get the data files of datasets."),
    "env": ("fetch:env", _RUN, "Build the environments of methods."),
    "check": ("check:check", _WRITE, "Run the conformance tests on a plugin and on all that it declares."),
    "new": ("new:app", _WRITE, "Start a plugin or a suite from a template."),
}


class _Unconverted(NamedTuple):
    """What typer converts a parameter's values by, but for texts and for what is not given: these stay as they are.

    For either it would import pydantic, which takes longer than all else that `benchkit list` does.
    """

    build: Any
    is_text: bool

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        stays = value is param.default or (self.is_text and isinstance(value, str))
        return value if stays else self.build().coerce(value, param=param, ctx=ctx)


class _Sparing:
    """What parses arguments without converting those that need no conversion."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does."""
        typed: Any = super()
        for parameter in typed.get_params(ctx):
            if hasattr(parameter, "get_runtime_param") and "get_runtime_param" not in vars(parameter):  # since 0.26
                converts = _Unconverted(parameter.get_runtime_param, parameter.type_descriptor.annotation is str)
                parameter.get_runtime_param = lambda converts=converts: converts
        parsed: list[str] = typed.parse_args(ctx, args)
        return parsed


class _Command(_Sparing, TyperCommand):
    """A command whose arguments and options are known."""


class _Listed(TyperCommand):
    """A command of which nothing is imported yet: its name, and what lists show."""


class Commands(_Sparing, TyperGroup):
    """Benchkit's own commands, and those that plugins declare: listed without importing them.

    Where one of benchkit's own is used, plugins are not even looked for, which takes a tenth of a second.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, (_, heading, summary) in OWN_COMMANDS.items():
            self.commands[name] = _Listed(name, help=summary, rich_help_panel=heading)

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
        """A command as lists show it."""
        if cmd_name not in self.commands:
            self._add_declared()
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is to be used; None where a line with an unknown one is completed."""
        name, _, rest = super().resolve_command(ctx, args)
        if name is None:
            return None, None, rest
        return name, _own(name) if name in OWN_COMMANDS else _declared(name), rest

    def _add_declared(self) -> None:
        from benchkit.plugin.manager import registry

        for name, declared in registry().commands.items():
            self.commands.setdefault(name, _Listed(name, help=declared.summary, rich_help_panel=declared.group))


def _own(name: str) -> Any:
    """One of benchkit's own commands, or a group of them."""
    target, _, summary = OWN_COMMANDS[name]
    imported = Deferred(f"benchkit.cli.{target}").resolve()
    if not isinstance(imported, typer.Typer):
        return _parser(name, imported)
    imported.info.help, imported.info.epilog = summary, EXIT_CODES
    imported.callback()(lambda: None)  # or the name of a single command would be left out
    for command in imported.registered_commands:
        command.cls, command.epilog = _Command, EXIT_CODES
    return typer.main.get_command(imported)


def _parser(name: str, function: Any) -> Any:
    alone = typer.Typer(add_completion=False)
    alone.command(name, cls=_Command, epilog=EXIT_CODES)(function)
    return typer.main.get_command(alone)


def _declared(name: str) -> Any:
    """The command of a plugin, refused where another plugin declares one of this name as well."""
    from benchkit.plugin.guard import guarded, of
    from benchkit.plugin.manager import registry

    registered = registry()
    for _, problem in registered.problems:
        if f": command {name!r} is already declared" in problem:
            raise RequestError(problem)
    declared = registered.commands[name]
    who = f"{of(declared)}: run"
    with guarded(who, passing=(RequestError,), raising=RequestError):
        command = _parser(name, declared.run.resolve())
    carry_out: Any = command.callback

    def call(**arguments: Any) -> Any:
        passing = (RequestError, typer.Exit, typer.Abort, UsageError, BrokenPipeError)
        with guarded(who, passing=passing):
            return carry_out(**arguments)

    command.callback = call
    return command


_ABOUT = "Robustness benchmarks: a YAML suite in, robustness curves with honest statistics out."
app = typer.Typer(name="benchkit", cls=Commands, epilog=EXIT_CODES, help=_ABOUT, no_args_is_help=True)
app.pretty_exceptions_enable = False


def _print_version(asked: bool) -> None:
    if asked:
        print(f"benchkit {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of benchkit itself."""


def _explain_usage(error: Any) -> None:
    """One line that says what is wrong with the arguments, or the help where there are none."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return
    help_is = f"'{error.ctx.command_path if error.ctx else 'benchkit'} --help'"
    message = " ".join(error.format_message().split()).rstrip(".").replace(". Did you mean", "; did you mean")
    if type(error).__name__ == "NoSuchOption":
        # The parser lists all that are a little alike, by their dashes too.
        near = nearest_name(error.option_name.strip("-"), [option.strip("-") for option in error.possibilities or ()])
        known = [option for parameter in error.ctx.command.params for option in parameter.opts] if error.ctx else []
        begin = [option for option in known if option.startswith(f"-{error.option_name}")]
        hints = [f"--{near}"] if near else begin
        message = f"{error.message}; did you mean {' or '.join(map(repr, hints))}?" if hints else error.message
    print_error(f"{message} See {help_is}" if message.endswith("?") else f"{message}; see {help_is}")


def main() -> None:
    """Run the command line; the user's mistakes end in one line and exit code 2."""
    stdout = sys.stdout
    if isinstance(stdout, io.TextIOWrapper):
        stdout.reconfigure(errors="replace")  # a terminal of few characters shows a question mark for the others
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"  # not where in the program it arose
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
