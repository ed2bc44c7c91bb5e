"""``benchkit plan``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Option

from benchkit.cli.interface import options
from benchkit.cli.interface.console import json_answer, print_error, print_table

if TYPE_CHECKING:
    from benchkit.session.preview import Forecast

# More rows than a person reads.
MOST = 200


def plan(
    suite: options.SuiteArgument,
    profile: options.ProfileOption = None,
    out: options.OutOption = options.OUT,
    only: options.OnlyOption = None,
    settings: options.SetOption = None,
    plugin: options.PluginOption = None,
    add: options.AddOption = None,
    shard: Annotated[str | None, options.option("--shard", "I/N", "Part I of N.")] = None,
    explain: Annotated[bool, Option("--explain", help="Say why each trial runs or is reused.")] = False,
    until_decided: options.UntilDecidedOption = False,
    within: options.WithinOption = None,
    most: options.MostOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Say what would run, what is reused, and how long it may take; run nothing."""
    from benchkit.cli.interface.progress import say_after_a_while
    from benchkit.session.plan import Request, plan_suites
    from benchkit.session.preview import combinations, forecasts

    request = Request(
        suite=suite,
        profile=profile,
        out=out,
        only=options.parse_only(only),
        settings=options.parse_settings(settings),
        plugins=plugin or (),
        add=add or (),
        shard=shard,
        until_decided=until_decided,
        within=options.parse_within(within),
        most=most,
    )
    waiting = say_after_a_while()
    collection, plans = plan_suites(request)
    waiting.cancel()
    notes = [f"warning: {text}" for text in dict.fromkeys(text for plan in plans for text in plan.warnings)]
    for note in notes:
        print_error(note)
    expected = forecasts(plans)
    if as_json:
        rows = [{"suite": plan.suite.name, **row} for plan in plans for row in combinations(plan, explain)]
        left = [forecast for forecast in expected if forecast.left]
        seconds = [forecast.seconds for forecast in left if forecast.seconds is not None]
        summary = {
            "trials": sum(len(plan.trials) for plan in plans),
            "reused": sum(len(plan.done) for plan in plans),
            "to_run": sum(len(forecast.left) for forecast in left),
            "seconds": sum(seconds) if seconds or not left else None,
            "origins": list(dict.fromkeys(forecast.origin for forecast in left)),
        }
        print(json_answer("plan", rows, summary, notes))
        return
    if explain or not collection.suite.include:
        for forecast in expected:
            _print_combinations(forecast, explain)
    if collection.suite.include:
        _print_suites(collection.suite.title or suite, expected)


def _print_combinations(expected: Forecast, explain: bool) -> None:
    from benchkit.document import Text
    from benchkit.document.text import duration
    from benchkit.session.preview import combinations

    plan = expected.plan
    columns = ("dataset", "algorithm", "adversary", "trials", "why" if explain else "reused")
    rows = [list(row.values()) for row in combinations(plan, explain)]
    align = ("text", "text", "text", "right", "text" if explain else "right")
    lines = [f"and {len(rows) - MOST} more rows; --only narrows them down"] if len(rows) > MOST else []
    lines.append(f"{len(plan.trials)} trials, {len(plan.done)} reused, {len(plan.left)} to run")
    if expected.seconds is not None and plan.left:
        lines.append(f"about {duration(expected.seconds)} of one worker, from {expected.origin}")
    print_table(plan.suite.title or plan.suite.name, columns, rows[:MOST], align, *map(Text, lines))


def _print_suites(title: str, expected: Sequence[Forecast]) -> None:
    from benchkit.document import Text
    from benchkit.document.text import duration

    rows = []
    for plan, left, seconds, origin in expected:
        counts = len(plan.trials), len(plan.done), len(left)
        time = None if seconds is None else duration(seconds)
        rows.append((plan.suite.name, *counts, time, origin if left else ""))
    trials = sum(len(forecast.left) for forecast in expected)
    shared = sum(len(forecast.plan.left) for forecast in expected) - trials
    total = sum(forecast.seconds or 0.0 for forecast in expected)
    unknown = sum(forecast.seconds is None for forecast in expected)
    missing = f", not counting {unknown} suites of which nothing is known" if unknown else ""
    lines = [f"{trials} trials to run, about {duration(total)} of one worker{missing}"]
    lines += [f"{shared} trials that a suite shares with one before it run once, there"] if shared else []
    columns, align = ("suite", "trials", "reused", "to run", "expected", "from"), ("left", *["right"] * 4, "text")
    print_table(title, columns, rows, align, *map(Text, lines))
