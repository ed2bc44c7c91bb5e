"""``benchkit run`` and ``plan``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli.interface import options
from benchkit.cli.interface.console import INTERRUPTED, SOME_FAILED, json_answer, print_error, print_table
from benchkit.cli.interface.options import flag, option

if TYPE_CHECKING:
    from benchkit.session.preview import Forecast


def run(
    suite: options.SuiteArgument,
    profile: options.ProfileOption = None,
    jobs: Annotated[
        int | None, option("-j --jobs", "N", "How many trials run at a time (default: one per processor).", min=1)
    ] = None,
    executor: Annotated[
        str, option("--executor", "NAME", "Where trials run: local, inline, dask, or a plugin's.")
    ] = "local",
    executor_option: Annotated[
        list[str] | None,
        option("--executor-option", "NAME=VALUE", "An option of the executor; 'benchkit show EXECUTOR' lists them."),
    ] = None,
    out: options.OutOption = options.OUT,
    only: options.OnlyOption = None,
    settings: options.SetOption = None,
    plugin: options.PluginOption = None,
    add: options.AddOption = None,
    timeout: Annotated[float | None, option("--timeout", "S", "Stop a trial after so many seconds.", min=0.001)] = None,
    memory: Annotated[
        float | None, option("--memory", "MB", "Stop a trial that needs more memory than this.", min=1)
    ] = None,
    retries: Annotated[int, option("--retries", "N", "Repeat a crashed trial up to N times.", min=0)] = 0,
    isolate: Annotated[bool, flag("--isolate", "Run each trial in a new process.")] = False,
    shard: Annotated[
        str | None,
        option("--shard", "I/N", "Run only part I of N, as on one of N machines; 'benchkit merge' joins the parts."),
    ] = None,
    keep_models: Annotated[bool, flag("--keep-models", "Store the fitted estimators.")] = False,
    fresh: Annotated[bool, flag("--fresh", "Run every trial again, also finished ones.")] = False,
    against: options.AgainstOption = None,
    allow_failures: Annotated[bool, flag("--allow-failures", "Exit with code 0 even if trials failed.")] = False,
    no_tracking: Annotated[bool, flag("--no-tracking", "Do not log to MLflow.")] = False,
    tracker: options.TrackerOption = None,
    details: Annotated[
        bool, flag("--details", "End in the whole report: every table, tests, claims, cautions.")
    ] = False,
    no_plots: Annotated[bool, flag("--no-plots", "Do not draw plots.")] = False,
    until_decided: options.UntilDecidedOption = False,
    within: options.WithinOption = None,
    most: options.MostOption = None,
) -> None:
    """Run a suite, or all that a collection includes; finished trials are skipped, an interrupted run resumes."""
    from benchkit.cli.interface.progress import make_progress
    from benchkit.cli.interface.show_results import print_collection, print_interrupted, print_line, print_results
    from benchkit.plugin.guard import has_failed
    from benchkit.report.analysis import Analysis
    from benchkit.session.run import run as run_suite
    from benchkit.suite.source import SuiteError

    if no_tracking and tracker:
        raise SuiteError("--no-tracking and --tracker contradict each other: leave out one")
    analyses: list[Analysis] = []
    progress = make_progress(looks=until_decided)
    results = run_suite(
        suite,
        profile=profile,
        out=out,
        jobs=jobs,
        executor=executor,
        executor_options=options.pairs("--executor-option", executor_option),
        only=options.parse_only(only),
        settings=options.parse_settings(settings),
        plugins=plugin or (),
        add=add or (),
        timeout=timeout,
        memory=memory,
        retries=retries,
        isolate=isolate,
        shard=shard,
        keep_models=keep_models,
        fresh=fresh,
        against=against,
        tracking=False if no_tracking else tracker or True,
        plots=not no_plots,
        until_decided=until_decided,
        within=options.parse_within(within),
        most=most,
        progress=progress,
        on_finished=analyses.append,
    )
    if results.interrupted:
        print_interrupted(results)
        print_error("interrupted; run the same command again to resume")
        raise typer.Exit(INTERRUPTED)
    if results.members:
        for member in results.suites:
            print_line(member)
        print_collection(results)
    else:
        tracked = bool(results.ran) and not (no_tracking or tracker or has_failed("tracker "))
        print_results(analyses[0], full=details, tracked=tracked)
    if not results.ok and not allow_failures:
        raise typer.Exit(SOME_FAILED)


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
    shard: Annotated[str | None, option("--shard", "I/N", "Part I of N.")] = None,
    against: options.AgainstOption = None,
    until_decided: options.UntilDecidedOption = False,
    within: options.WithinOption = None,
    most: options.MostOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Say what would run, what is reused, and how long it may take; run nothing."""
    from benchkit.cli.interface.progress import say_after_a_while
    from benchkit.session.plan import Request, plan_suites
    from benchkit.session.preview import answered, combinations, forecasts, reasons

    request = Request(
        suite=suite,
        profile=profile,
        out=out,
        only=options.parse_only(only),
        settings=options.parse_settings(settings),
        plugins=plugin or (),
        add=add or (),
        shard=shard,
        against=against,
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
        rows = [{"suite": plan.suite.name, **row} for plan in plans for row in combinations(plan)]
        left = [forecast for forecast in expected if forecast.plan.left]
        seconds = [forecast.seconds for forecast in left if forecast.seconds is not None]
        summary = {
            "trials": sum(len(plan.trials) for plan in plans),
            "reused": sum(len(plan.done) for plan in plans),
            "to_run": sum(len(plan.left) for plan in plans),
            "seconds": sum(seconds) if seconds or not left else None,
            "origins": list(dict.fromkeys(forecast.origin for forecast in left)),
            "again": sum(map(reasons, plans), Counter()),
        }
        print(json_answer("plan", rows, summary, [*notes, *answered(plans)]))
        return
    if collection.suite.include:
        _print_suites(collection.suite.title or suite, expected, answered(plans))
    else:
        _print_combinations(expected[0])


def _print_combinations(expected: Forecast) -> None:
    from benchkit.document import Text
    from benchkit.document.text import duration
    from benchkit.session.preview import answered, combinations, reasons

    plan = expected.plan
    columns = ("dataset", "algorithm", "adversary", "trials", "reused")
    skipped = plan.will_be_skipped
    rows = [list(row.values()) for row in combinations(plan, but=skipped)]
    align = ("text", "text", "text", "right", "right")
    lines = [f"and {len(rows) - MOST} more rows; --only narrows them down"] if len(rows) > MOST else []
    more = f", of which {len(skipped)} will be skipped (see the warnings)" if skipped else ""
    lines.append(f"{len(plan.trials)} trials, {len(plan.done)} reused, {len(plan.left)} to run{more}")
    lines += answered([plan])
    lines += [f"{count} run again: {reason}" for reason, count in reasons(plan).most_common()]
    if plan.left:
        unknown = "how long they take is not known before a first run, which says what is left once trials have ended"
        known = f"about {duration(expected.seconds or 0)} of one worker, from {expected.origin}"
        lines.append(unknown if expected.seconds is None else known)
    print_table(plan.suite.title or plan.suite.name, columns, rows[:MOST], align, *map(Text, lines))


def _print_suites(title: str, expected: Sequence[Forecast], more: Sequence[str]) -> None:
    from benchkit.document import Text
    from benchkit.document.text import duration

    rows = []
    for plan, seconds, origin in expected:
        counts = len(plan.trials), len(plan.done), len(plan.left)
        time = None if seconds is None else duration(seconds)
        rows.append((plan.suite.name, *counts, time, origin if plan.left else ""))
    trials = sum(len(forecast.plan.left) for forecast in expected)
    total = sum(forecast.seconds or 0.0 for forecast in expected)
    unknown = sum(forecast.seconds is None for forecast in expected)
    missing = f", not counting {unknown} suites of which nothing is known" if unknown else ""
    lines = [f"{trials} trials to run, about {duration(total)} of one worker{missing}", *more]
    columns, align = ("suite", "trials", "reused", "to run", "expected", "from"), ("left", *["right"] * 4, "text")
    print_table(title, columns, rows, align, *map(Text, lines))
