"""``benchkit merge``, ``sync`` and ``ui``: runs that have ended."""

import signal
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from benchkit.cli.interface.console import print_error
from benchkit.cli.interface.options import (
    OUT,
    OutOption,
    PluginOption,
    TrackerOption,
    argument,
    flag,
    option,
    registry_with,
)


def merge(
    runs: Annotated[list[Path], argument("RUN...", "Runs of one suite, such as its shards.")],
    out: OutOption = OUT,
) -> None:
    """Join separate runs of one suite, such as shards, into one run."""
    from benchkit.cli.interface.show_results import print_collection, print_results
    from benchkit.report.analysis import Analysis
    from benchkit.session.past import merge as join

    results = join(runs, out=out)
    if results.members:
        print_collection(results)
    else:
        print_results(Analysis(results))


def sync(
    run: Annotated[Path, argument("RUN", "A suite's folder (its newest run) or a run's folder.")],
    tracker: TrackerOption = None,
    plugin: PluginOption = None,
) -> None:
    """Send a finished run to MLflow, if that was down or is another server (MLFLOW_TRACKING_URI)."""
    from benchkit.session.past import sync as send

    outcomes = send(run, print_error, tracker or True, registry_with(plugin))
    for outcome, sent, place in outcomes:
        print(f"{sent.suite} {sent.id}: {outcome} ({place})")


def ui(
    out: OutOption = OUT,
    suite: Annotated[str | None, option("--suite", "NAME", "Suite to open; the latest where absent.")] = None,
    host: Annotated[str, option("--host", "ADDR", "Interface to listen on.")] = "127.0.0.1",
    port: Annotated[int, option("--port", "N", "Port to listen on.", min=1, max=65535)] = 5000,
    open_browser: Annotated[bool, flag("--open", "Open the browser when it is ready.")] = False,
    tracker: Annotated[str | None, option("--tracker", "NAME", "Serve the pages of this tracker.")] = None,
    plugin: PluginOption = None,
) -> None:
    """Show runs in the browser: the curves on a tracker's pages, such as MLflow's, until Ctrl-C."""
    from benchkit.errors import BenchkitError
    from benchkit.plugin.guard import guarded, of
    from benchkit.session.listeners import end_killed, tracker_with_pages
    from benchkit.session.loop import interruptible

    declared = tracker_with_pages(registry_with(plugin), tracker)

    def ready(link: str) -> None:
        print(f"runs: {link}", flush=True)
        if open_browser:
            import webbrowser

            webbrowser.open(link)
        end_killed([declared], out, print_error, connects=True)

    passing = (BenchkitError,)
    with suppress(KeyboardInterrupt), interruptible(signal.SIGHUP), guarded(f"{of(declared)}: serve", passing=passing):
        declared.serve(out=out, suite=suite, host=host, port=port, ready=ready, warn=print_error)
