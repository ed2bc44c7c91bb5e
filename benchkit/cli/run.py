"""``benchkit run``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.console import INTERRUPTED, SOME_FAILED, print_error
from benchkit.cli.interface.options import (
    OUT,
    AddOption,
    AgainstOption,
    MostOption,
    OnlyOption,
    OutOption,
    PluginOption,
    ProfileOption,
    SetOption,
    SuiteArgument,
    TrackerOption,
    UntilDecidedOption,
    WithinOption,
    pairs,
    parse_only,
    parse_settings,
    parse_within,
)


def run(
    suite: SuiteArgument,
    profile: ProfileOption = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "-j", "--jobs", min=1, metavar="N", help="How many trials run at a time (default: one per processor)."
        ),
    ] = None,
    executor: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where trials run: local, inline, dask, or a plugin's.",
            autocompletion=complete.executors,
        ),
    ] = "local",
    executor_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="An option of the executor; 'benchkit show EXECUTOR' lists them.",
            autocompletion=complete.executor_options,
        ),
    ] = None,
    out: OutOption = OUT,
    only: OnlyOption = None,
    settings: SetOption = None,
    plugin: PluginOption = None,
    add: AddOption = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, metavar="S", help="Stop a trial after so many seconds.")
    ] = None,
    memory: Annotated[
        float | None, typer.Option(min=1, metavar="MB", help="Stop a trial that needs more memory than this.")
    ] = None,
    retries: Annotated[int, typer.Option(min=0, metavar="N", help="Repeat a crashed trial up to N times.")] = 0,
    isolate: Annotated[bool, typer.Option("--isolate", help="Run each trial in a new process.")] = False,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N", help="Run only part I of N, as on one of N machines; 'benchkit merge' joins the parts."
        ),
    ] = None,
    keep_models: Annotated[bool, typer.Option("--keep-models", help="Store the fitted estimators.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run every trial again, also finished ones.")] = False,
    against: AgainstOption = None,
    allow_failures: Annotated[
        bool, typer.Option("--allow-failures", help="Exit with code 0 even if trials failed.")
    ] = False,
    no_tracking: Annotated[bool, typer.Option("--no-tracking", help="Do not log to MLflow.")] = False,
    tracker: TrackerOption = None,
    details: Annotated[
        bool, typer.Option("--details", help="End in the whole report: every table, tests, claims, cautions.")
    ] = False,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="Do not draw plots.")] = False,
    until_decided: UntilDecidedOption = False,
    within: WithinOption = None,
    most: MostOption = None,
) -> None:
    """Run a suite, or all that a collection includes; finished trials are skipped, an interrupted run resumes."""
    from benchkit.cli.interface.progress import make_progress
    from benchkit.cli.interface.show_results import print_collection, print_interrupted, print_line, print_run
    from benchkit.report.analysis import Analysis
    from benchkit.session.run import run as run_suite
    from benchkit.suite.source import SuiteError

    if no_tracking and tracker:
        raise SuiteError("--no-tracking and --tracker contradict each other: leave out one")
    analyses: list[Analysis] = []
    selected, replaced, seconds = parse_only(only), parse_settings(settings), parse_within(within)
    with make_progress() as progress:
        results = run_suite(
            suite,
            profile=profile,
            out=out,
            jobs=jobs,
            executor=executor,
            executor_options=pairs("--executor-option", executor_option),
            only=selected,
            settings=replaced,
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
            within=seconds,
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
        print_run(analyses[0], details, not no_tracking)
    if not results.ok and not allow_failures:
        raise typer.Exit(SOME_FAILED)
