"""Rules of what reports, runs and the command line call."""

from __future__ import annotations

from collections.abc import Sequence

import pluggy
import typer

from benchkit.document import Document
from benchkit.plugin import spec
from benchkit.plugin.declarations import Command, Deferred, ReportFormat, ReportSection, ReportTable, RowSource, Tracker
from benchkit.report.analysis import Analysis
from benchkit.testing.rule import NotAskedError, require, rule
from benchkit.testing.tiny import tiny_results

_LISTENING = ("benchkit_run_started", "benchkit_trial_finished", "benchkit_run_finished", "benchkit_run_stopped")


@rule("report_sections")
def speaks_or_is_silent(section: ReportSection) -> None:
    """Of a small run it makes a ReportTable of plain values, a Document, or None; also of one without a result."""
    section.compute(tiny_results(2, status="failed"))
    section.compute(tiny_results(0))
    content = section.compute(tiny_results(2))
    require(
        content is None or isinstance(content, ReportTable | Document),
        f"returned a {type(content).__name__}, expected a benchkit.ReportTable, a benchkit.document.Document or None",
    )
    for entry in [entry for row in (content.rows if isinstance(content, ReportTable) else ()) for entry in row]:
        plain = entry is None or isinstance(entry, str | int | float)
        require(plain, f"an entry is {entry!r}, expected text, a number or None")


@rule("report_formats")
def renders_a_small_run(form: ReportFormat) -> None:
    """Of a small run it makes text, or bytes where it says that it is no text; also of one without results."""
    form.render(Analysis(tiny_results(2, status="failed")))
    made, expected = form.render(Analysis(tiny_results(2))), str if form.text else bytes
    said = f"returned a {type(made).__name__}, expected {expected.__name__}: text={form.text} is declared"
    require(isinstance(made, expected), said)
    require(made, "returned nothing")


@rule("report_formats")
def joins_suites(form: ReportFormat) -> None:
    """Where it joins the reports of several suites, what it makes is a report, too."""
    if form.join is None:
        raise NotAskedError("joins nothing")
    whole = tiny_results(2, members=2)
    made = form.join(whole, [Analysis(each) for each in whole.suites])
    require(isinstance(made, str if form.text else bytes), f"join returned a {type(made).__name__}")


@rule("trackers")
def listens_to_a_run(tracker: Tracker) -> None:
    """What it makes has methods that are hooks, and these take what the hooks give."""
    manager = pluggy.PluginManager(spec.PROJECT)
    manager.add_hookspecs(spec)
    manager.register(tracker.make(warn=lambda line: None), name=tracker.name)
    manager.check_pending()
    heard = any(getattr(manager.hook, hook).get_hookimpls() for hook in _LISTENING)
    require(heard, f"none of its methods is marked by hookimpl and named {', '.join(_LISTENING)}")


@rule("trackers")
def takes_what_it_is_called_with(tracker: Tracker) -> None:
    """`send`, `serve` and `end_killed` take, by name, all that they are called with."""
    _require_taken("send", tracker.send, ("run", "records", "analyse", "warn"))
    _require_taken("serve", tracker.serve, ("out", "suite", "host", "port", "ready", "warn"))
    _require_taken("end_killed", tracker.end_killed, ("out", "was_killed", "connects", "warn"))


def _require_taken(name: str, target: Deferred | None, given: Sequence[str]) -> None:
    parameters = {} if target is None else target.parameters()
    if target is not None and not any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        missing = [each for each in given if each not in parameters]
        require(not missing, f"{name} does not take {', '.join(missing)}")


@rule("row_sources")
def opens_a_place(source: RowSource) -> None:
    """`open` takes ``place`` by name."""
    _require_taken("open", source.open, ["place"])


@rule("commands")
def can_be_read(command: Command) -> None:
    """Its parameters are what typer makes arguments and options of, and a docstring says what it does."""
    alone = typer.Typer(add_completion=False)
    alone.command(command.name)(command.run.resolve())
    made = typer.main.get_command(alone)
    require(bool(made.help), "its function has no docstring: 'benchkit NAME --help' says nothing")
