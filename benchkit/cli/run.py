"""``benchkit run``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli import complete, errors
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


def run(
    suite: SuiteArgument,
    profile: ProfileOption = None,
    jobs: Annotated[
        int | None, typer.Option("-j", "--jobs", min=1, metavar="N", help="Worker processes (default: processors).")
    ] = None,
    executor: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Where trials run: local, inline, or a plugin's.", autocompletion=complete.executors
        ),
    ] = "local",
    out: OutOption = OUT,
    only: OnlyOption = None,
    settings: SetOption = None,
    plugin: PluginOption = None,
    add: AddOption = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, metavar="S", help="Seconds a trial may take from its start.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run everything again.")] = False,
    allow_failures: Annotated[
        bool, typer.Option("--allow-failures", help="Exit with 0 although trials failed.")
    ] = False,
    no_tracking: Annotated[bool, typer.Option("--no-tracking", help="Do not log to MLflow.")] = False,
) -> None:
    """Run a suite; what its journal already holds is not run again."""
    from benchkit.cli.progress import make_progress
    from benchkit.cli.show_results import print_results
    from benchkit.conduct import run as conduct

    with make_progress() as progress:
        results = conduct(
            suite,
            profile=profile,
            out=out,
            jobs=jobs,
            executor=executor,
            only=parse_only(only),
            settings=parse_settings(settings),
            plugins=[str(path) for path in plugin or []],
            add=add or [],
            timeout=timeout,
            fresh=fresh,
            tracking=not no_tracking,
            progress=progress,
        )
    print_results(results, tracked=not no_tracking)
    if results.interrupted:
        errors.print_error("interrupted; the same command continues")
        raise typer.Exit(errors.INTERRUPTED)
    if not results.ok and not allow_failures:
        raise typer.Exit(errors.SOME_FAILED)
