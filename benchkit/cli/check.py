"""``benchkit check``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.json_answer import JsonOption, print_json


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
) -> None:
    """Run the conformance tests on a plugin and on all that it declares; exit code 1 where one fails."""
    from dataclasses import asdict
    from pathlib import Path

    from rich.text import Text

    from benchkit.cli.interface.console import Console
    from benchkit.cli.interface.errors import SOME_FAILED
    from benchkit.plugin.manager import UnknownNameError
    from benchkit.suite.source import SuiteError
    from benchkit.testing.check import checks_of

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
    for each in checks:
        if not as_json and subject != (subject := (each.kind, each.name)):
            console.print(Text.assemble(f"{each.kind} ", (each.name, "bold")), highlight=False)
        finding = each.find()
        findings.append(finding)
        if not as_json:
            _print(console, finding.outcome, finding.rule, finding.reason)
    counts = {outcome: sum(each.outcome == outcome for each in findings) for outcome in ("kept", "broken", "not asked")}
    if as_json:
        print_json("check", [asdict(each) for each in findings])
    else:
        seconds = sum(each.seconds for each in findings)
        summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        console.print(f"{len(findings)} checks in {seconds:.1f} s: {summary}", highlight=False)
    if counts["broken"]:
        raise typer.Exit(SOME_FAILED)


def _print(console: object, outcome: str, rule: str, reason: str) -> None:
    from rich.text import Text

    from benchkit.cli.interface.console import Console

    assert isinstance(console, Console)
    style = {"kept": "green", "broken": "bold red", "not asked": "dim"}[outcome]
    text = Text(f"  {outcome:9}  ", style=style)
    text.append(rule, style="" if outcome != "not asked" else "dim")
    if reason:
        text.append(f": {reason}", style="" if outcome == "broken" else "dim")
    console.print(text, soft_wrap=True)
