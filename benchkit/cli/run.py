"""``benchkit run``."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Option

from benchkit.cli.interface import complete, options
from benchkit.cli.interface.console import INTERRUPTED, SOME_FAILED, print_error
from benchkit.cli.interface.options import option


def run(
    suite: options.SuiteArgument,
    profile: options.ProfileOption = None,
    jobs: Annotated[
        int | None, option("-j --jobs", "N", "How many trials run at a time (default: one per processor).", min=1)
    ] = None,
    executor: Annotated[
        str, option("--executor", "NAME", "Where trials run: local, inline, dask, or a plugin's.", complete.executors)
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
    isolate: Annotated[bool, Option("--isolate", help="Run each trial in a new process.")] = False,
    shard: Annotated[
        str | None,
        option("--shard", "I/N", "Run only part I of N, as on one of N machines; 'benchkit merge' joins the parts."),
    ] = None,
    keep_models: Annotated[bool, Option("--keep-models", help="Store the fitted estimators.")] = False,
    fresh: Annotated[bool, Option("--fresh", help="Run every trial again, also finished ones.")] = False,
    against: options.AgainstOption = None,
    allow_failures: Annotated[bool, Option("--allow-failures", help="Exit with code 0 even if trials failed.")] = False,
    no_tracking: Annotated[bool, Option("--no-tracking", help="Do not log to MLflow.")] = False,
    tracker: options.TrackerOption = None,
    details: Annotated[
        bool, Option("--details", help="End in the whole report: every table, tests, claims, cautions.")
    ] = False,
    no_plots: Annotated[bool, Option("--no-plots", help="Do not draw plots.")] = False,
    until_decided: options.UntilDecidedOption = False,
    within: options.WithinOption = None,
    most: options.MostOption = None,
) -> None:
    """Run a suite, or all that a collection includes; finished trials are skipped, an interrupted run resumes."""
    from benchkit.cli.interface.progress import make_progress
    from benchkit.cli.interface.show_results import print_collection, print_interrupted, print_line, print_results
    from benchkit.report.analysis import Analysis
    from benchkit.session.run import run as run_suite
    from benchkit.suite.source import SuiteError

    if no_tracking and tracker:
        raise SuiteError("--no-tracking and --tracker contradict each other: leave out one")
    analyses: list[Analysis] = []
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
        progress=make_progress(),
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
        print_results(analyses[0], full=details, tracked=not no_tracking, has_ended=True)
    if not results.ok and not allow_failures:
        raise typer.Exit(SOME_FAILED)
