"""``benchkit check``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli.interface.console import SOME_FAILED, command, json_answer
from benchkit.cli.interface.options import JsonOption, argument, flag, option

if TYPE_CHECKING:
    from rich.text import Text

    from benchkit.testing.check import RuleFinding


def check(
    plugin: Annotated[str, argument("PLUGIN|FILE.py", "An installed plugin, the module of its hooks, or a file.")],
    only: Annotated[str | None, option("--only", "NAME", "Check only what has this name.")] = None,
    as_json: JsonOption = False,
    verbose: Annotated[bool, flag("--verbose", "Also print tracebacks of what was raised.")] = False,
) -> None:
    """Run the conformance tests on a plugin and on all that it declares; exit code 1 where one fails."""
    from dataclasses import asdict
    from pathlib import Path

    from rich.text import Text

    from benchkit.document.terminal import Console
    from benchkit.plugin.manager import UnknownNameError
    from benchkit.plugin.parameters import meant_file
    from benchkit.suite.source import SuiteError
    from benchkit.testing.check import checks_of, find_all

    if plugin.endswith(".py") and not Path(plugin).is_file():
        raise SuiteError(f"{plugin}: no such file{meant_file(Path(plugin))}")
    if not plugin.endswith(".py") and Path(plugin).is_file():
        table = f"a table of yours is looked at by '{command('new', 'suite', plugin, '--target', 'COLUMN')}'"
        raise SuiteError(f"{plugin} is not a plugin, whose file ends in .py; {table}, a suite by 'benchkit plan SUITE'")
    checks = checks_of(plugin)
    if only is not None:
        if only not in (names := {rule_check.name for rule_check in checks}):
            raise UnknownNameError(f"part of {plugin}", only, names)
        checks = [rule_check for rule_check in checks if rule_check.name == only]
    console, findings, subject = Console(quiet=as_json), [], None
    for finding in find_all(checks):
        findings.append(finding)
        if subject != (subject := (finding.kind, finding.subject)):
            console.print(Text.assemble(f"{finding.kind} ", (finding.subject, "bold")), highlight=False)
        console.print(_in_words(finding), soft_wrap=True)
        if verbose and finding.traceback and not finding.same_as:
            console.print(Text(finding.traceback.rstrip(), style="dim"), soft_wrap=True, highlight=False)
    counts = Counter(finding.outcome for finding in findings)
    seconds = sum(finding.seconds for finding in findings)
    summary = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("kept", "broken", "not asked"))
    console.print(f"{len(findings)} checks in {seconds:.1f} s: {summary}", highlight=False)
    if not verbose and any(finding.traceback for finding in findings):
        console.print("--verbose prints the tracebacks of what was raised", style="dim", highlight=False)
    if as_json:
        print(json_answer("check", [asdict(finding) for finding in findings]))
    if counts["broken"]:
        raise typer.Exit(SOME_FAILED)


def _in_words(finding: RuleFinding) -> Text:
    from rich.text import Text

    reason = f"the same mistake as {finding.same_as}" if finding.same_as else finding.reason
    dim = "dim" if finding.outcome == "not asked" else ""
    text = Text(f"  {finding.outcome:9}  ", style={"kept": "green", "broken": "bold red"}.get(finding.outcome, dim))
    text.append(finding.rule, style=dim)
    return text.append(f": {reason}", style="" if finding.outcome == "broken" else "dim") if reason else text
