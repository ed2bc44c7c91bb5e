"""``benchkit plan``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from benchkit.cli.errors import print_error
from benchkit.cli.options import (
    OUT,
    AddOption,
    OnlyOption,
    OutOption,
    PluginOption,
    ProfileOption,
    SetOption,
    SuiteArgument,
    parse_only,
    parse_settings,
)

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
    explain: Annotated[bool, typer.Option("--explain", help="Why trials run, or are reused.")] = False,
) -> None:
    """Say what would run, what is reused, and how long it may take; run nothing."""
    from dataclasses import astuple

    from rich.table import Table
    from rich.text import Text

    from benchkit.cli.console import Console
    from benchkit.cli.show_collection import duration, show_plan
    from benchkit.conduct import plan as make_plan
    from benchkit.conduct.explaining import combinations, explained
    from benchkit.suite.include import is_collection

    options: dict[str, Any] = {
        "profile": profile,
        "out": out,
        "only": parse_only(only),
        "settings": parse_settings(settings),
        "plugins": [str(path) for path in plugin or []],
        "add": add or [],
        "shard": shard,
    }
    if is_collection(suite):
        show_plan(suite, options)
        return
    planned = make_plan(suite, **options)
    for problem in planned.registry.problems:
        print_error(f"warning: {problem}")
    console = Console()
    table = Table(title=Text(planned.loaded.suite.title or suite), title_justify="left", title_style="bold")
    for name in ("dataset", "algorithm", "adversary"):
        table.add_column(name)
    table.add_column("trials", justify="right")
    table.add_column("why" if explain else "reused", justify="left" if explain else "right")
    rows = explained(planned) if explain else combinations(planned)
    for row in rows[:MOST]:
        table.add_row(*(Text(str(value)) for value in astuple(row)))
    console.print(table)
    if len(rows) > MOST:
        console.print(f"and {len(rows) - MOST} more rows; --only narrows them down", highlight=False)
    left = len(planned.left)
    console.print(f"{len(planned.trials)} trials, {len(planned.reused)} reused, {left} to run", highlight=False)
    expected = planned.expected()
    if expected.seconds is not None and left:
        console.print(f"about {duration(expected.seconds)} of one worker, from {expected.origin}", highlight=False)
