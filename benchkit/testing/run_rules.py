"""What trackers, row sources and commands keep to: what stands around a run."""

from __future__ import annotations

import pluggy
import typer

from benchkit.plugin import spec
from benchkit.plugin.declarations import Command, RowSource, Tracker
from benchkit.testing.rule import require, rule

_HOOKS = ("benchkit_run_started", "benchkit_trial_finished", "benchkit_run_finished", "benchkit_run_stopped")


@rule
def listens_to_a_run(tracker: Tracker) -> None:
    """What it makes has methods that are hooks, and these take what the hooks give."""
    made = tracker.make(warn=lambda line: None)
    manager = pluggy.PluginManager(spec.PROJECT)
    manager.add_hookspecs(spec)
    manager.register(made, name=tracker.name)
    manager.check_pending()
    heard = [hook for hook in _HOOKS if getattr(manager.hook, hook).get_hookimpls()]
    require(bool(heard), f"none of its methods is marked by hookimpl and named {', '.join(_HOOKS)}")


@rule
def takes_what_it_is_called_with(tracker: Tracker) -> None:
    """`send`, `serve` and `end_killed` take, by name, all that they are called with."""
    for name, given in (
        ("send", ("run", "records", "analyse", "warn")),
        ("serve", ("out", "suite", "host", "port", "ready", "warn")),
        ("end_killed", ("out", "was_killed", "connects", "warn")),
    ):
        if (target := getattr(tracker, name)) is None:
            continue
        parameters = target.parameters()
        if not any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
            missing = [each for each in given if each not in parameters]
            require(not missing, f"{name} does not take {', '.join(missing)}")


TRACKER_RULES = (listens_to_a_run, takes_what_it_is_called_with)


@rule
def opens_a_place(source: RowSource) -> None:
    """`open` takes ``place`` by name."""
    parameters = source.open.parameters()
    taken = "place" in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    require(taken, "open does not take place")


ROW_SOURCE_RULES = (opens_a_place,)


@rule
def can_be_read(command: Command) -> None:
    """Its parameters are what typer makes arguments and options of, and a docstring says what it does."""
    alone = typer.Typer(add_completion=False)
    alone.command(command.name)(command.run.resolve())
    made = typer.main.get_command(alone)
    require(bool(made.help), "its function has no docstring: 'benchkit NAME --help' says nothing")


COMMAND_RULES = (can_be_read,)
