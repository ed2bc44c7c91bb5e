"""``benchkit plan``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli.interface.console import print_error
from benchkit.cli.interface.json_answer import JsonOption, print_json
from benchkit.cli.interface.options import (
    OUT,
    AddOption,
    MostOption,
    OnlyOption,
    OutOption,
    PluginOption,
    ProfileOption,
    SetOption,
    SuiteArgument,
    UntilDecidedOption,
    WithinOption,
    parse_only,
    parse_settings,
    parse_within,
)

if TYPE_CHECKING:
    from benchkit.session.reuse import Reuse

# More rows than a person reads.
MOST = 200


def plan(
    suite: SuiteArgument,
    profile: ProfileOption = None,
    out: OutOption = OUT,
    only: OnlyOption = None,
    settings: SetOption = None,
    plugin: PluginOption = None,
    add: AddOption = None,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Part I of N.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each trial runs or is reused.")] = False,
    until_decided: UntilDecidedOption = False,
    within: WithinOption = None,
    most: MostOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what would run, what is reused, and how long it may take; run nothing."""
    from benchkit.session.planning import plan_suites
    from benchkit.session.request import Request
    from benchkit.session.reuse import warnings_of

    request = Request(
        suite=suite,
        profile=profile,
        out=out,
        only=parse_only(only),
        settings=parse_settings(settings),
        plugins=plugin or (),
        add=add or (),
        shard=shard,
        until_decided=until_decided,
        within=parse_within(within),
        most=most,
    )
    collection, suites = plan_suites(request)
    told = [f"warning: {warning}" for warning in warnings_of(suites)]
    told += [f"note: {note}" for note in dict.fromkeys(note for reuse in suites for note in reuse.notes)]
    for line in told:
        print_error(line)
    if as_json:
        _print_json(suites, explain, told)
        return
    if collection.is_one or explain:
        for reuse in suites:
            _print_combinations(reuse, explain)
    if not collection.is_one:
        _print_suites(collection.loaded.suite.title or suite, suites)


def _print_combinations(reuse: Reuse, explain: bool) -> None:
    from dataclasses import astuple

    from rich.table import Table
    from rich.text import Text

    from benchkit.cli.interface.console import Console
    from benchkit.document.text import duration
    from benchkit.session.explain import combinations, explained

    console = Console()
    suite = reuse.plan.suite
    table = Table(title=Text(suite.title or suite.name), title_justify="left", title_style="bold")
    for name in ("dataset", "algorithm", "adversary"):
        table.add_column(name)
    table.add_column("trials", justify="right")
    table.add_column("why" if explain else "reused", justify="left" if explain else "right")
    rows = explained(reuse) if explain else combinations(reuse)
    for row in rows[:MOST]:
        table.add_row(*(Text(str(value)) for value in astuple(row)))
    console.print(table)
    if len(rows) > MOST:
        console.print(f"and {len(rows) - MOST} more rows; --only narrows them down", highlight=False)
    left = len(reuse.left)
    console.print(f"{len(reuse.trials)} trials, {len(reuse.rows)} reused, {left} to run", highlight=False)
    expected = reuse.expected()
    if expected.seconds is not None and left:
        console.print(f"about {duration(expected.seconds)} of one worker, from {expected.origin}", highlight=False)


def _print_json(suites: Sequence[Reuse], explain: bool, notes: Sequence[str]) -> None:
    from dataclasses import asdict

    from benchkit.session.explain import combinations, explained
    from benchkit.session.reuse import in_turn

    rows = [
        {"suite": reuse.plan.suite.name, **asdict(row)}
        for reuse in suites
        for row in (explained(reuse) if explain else combinations(reuse))
    ]
    left = [then for then in in_turn(suites) if then.left]
    expected = [then.expected() for then in left]
    known = [each.seconds for each in expected if each.seconds is not None]
    summary = {
        "trials": sum(len(reuse.trials) for reuse in suites),
        "reused": sum(len(reuse.rows) for reuse in suites),
        "to_run": sum(len(then.left) for then in left),
        "seconds": sum(known) if known or not left else None,
        "origins": list(dict.fromkeys(each.origin for each in expected)),
    }
    print_json("plan", rows, summary, notes)


def _print_suites(title: str, suites: Sequence[Reuse]) -> None:
    from rich.table import Table

    from benchkit.cli.interface.console import Console
    from benchkit.document.text import duration
    from benchkit.session.reuse import in_turn

    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("suite", no_wrap=True)
    for name in ("trials", "reused", "to run", "expected"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("from")
    standing = in_turn(suites)
    forecasts = [then.expected() for then in standing]
    for reuse, then, expected in zip(suites, standing, forecasts, strict=True):
        table.add_row(
            reuse.plan.suite.name,
            str(len(reuse.trials)),
            str(len(reuse.rows)),
            str(len(then.left)),
            "-" if expected.seconds is None else duration(expected.seconds),
            expected.origin if then.left else "",
        )
    console = Console()
    console.print(table)
    trials = sum(len(then.left) for then in standing)
    shared = sum(len(reuse.left) for reuse in suites) - trials
    total = sum(expected.seconds or 0.0 for expected in forecasts)
    unknown = sum(expected.seconds is None for expected in forecasts)
    missing = f", not counting {unknown} suites of which nothing is known" if unknown else ""
    console.print(f"{trials} trials to run, about {duration(total)} of one worker{missing}", highlight=False)
    if shared:
        console.print(f"{shared} trials that a suite shares with one before it run once, there", highlight=False)
    if any(expected.elsewhere for expected in forecasts):
        console.print(
            "trials of another profile may be of another size: expect more where theirs is smaller", style="dim"
        )
