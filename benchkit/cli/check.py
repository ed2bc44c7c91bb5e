"""``benchkit check``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.json_answer import JsonOption, print_json

if TYPE_CHECKING:
    from benchkit.document.terminal import Console
    from benchkit.testing.check import RuleFinding


def check(
    plugin: Annotated[
        str,
        typer.Argument(
            metavar="PLUGIN|FILE.py",
            help="An installed plugin, the module of its hooks, or a file.",
            autocompletion=complete.plugins,
        ),
    ],
    only: Annotated[str | None, typer.Option("--only", metavar="NAME", help="Check only what has this name.")] = None,
    as_json: JsonOption = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Also print tracebacks of what was raised.")] = False,
) -> None:
    """Run the conformance tests on a plugin and on all that it declares; exit code 1 where one fails."""
    from dataclasses import asdict
    from pathlib import Path

    from rich.text import Text

    from benchkit.cli.interface.console import SOME_FAILED
    from benchkit.document.terminal import Console
    from benchkit.plugin.manager import UnknownNameError
    from benchkit.suite.source import SuiteError
    from benchkit.testing.check import checks_of, find_all

    if plugin.endswith(".py") and not Path(plugin).is_file():
        raise SuiteError(f"no such plugin file: {plugin}")
    checks = checks_of(plugin)
    if only is not None:
        names = {each.name for each in checks}
        if only not in names:
            raise UnknownNameError(f"part of {plugin}", only, names)
        checks = [each for each in checks if each.name == only]
    findings = []
    console = Console(stderr=as_json)
    subject = None
    for finding in find_all(plugin, checks):
        findings.append(finding)
        if as_json:
            continue
        if subject != (subject := (finding.kind, finding.subject)):
            console.print(Text.assemble(f"{finding.kind} ", (finding.subject, "bold")), highlight=False)
        _print(console, finding, verbose)
    counts = {outcome: sum(each.outcome == outcome for each in findings) for outcome in ("kept", "broken", "not asked")}
    if as_json:
        print_json("check", [asdict(each) for each in findings])
    else:
        seconds = sum(each.seconds for each in findings)
        summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        console.print(f"{len(findings)} checks in {seconds:.1f} s: {summary}", highlight=False)
        if not verbose and any(each.traceback for each in findings):
            console.print("--verbose prints the tracebacks of what was raised", style="dim", highlight=False)
    if counts["broken"]:
        raise typer.Exit(SOME_FAILED)


def _print(console: Console, finding: RuleFinding, verbose: bool) -> None:
    from rich.text import Text

    outcome, rule = finding.outcome, finding.rule
    reason = f"the same mistake as {finding.same_as}" if finding.same_as else finding.reason
    style = {"kept": "green", "broken": "bold red", "not asked": "dim"}[outcome]
    text = Text(f"  {outcome:9}  ", style=style)
    text.append(rule, style="" if outcome != "not asked" else "dim")
    if reason:
        text.append(f": {reason}", style="" if outcome == "broken" else "dim")
    console.print(text, soft_wrap=True)
    if verbose and finding.traceback and not finding.same_as:
        console.print(Text(finding.traceback.rstrip(), style="dim"), soft_wrap=True, highlight=False)
