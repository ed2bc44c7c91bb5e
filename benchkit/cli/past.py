"""``benchkit merge`` and ``sync``: runs that have ended."""

from pathlib import Path
from typing import Annotated

from benchkit.cli.interface import options
from benchkit.cli.interface.console import print_error
from benchkit.cli.interface.options import argument


def merge(
    runs: Annotated[list[Path], argument("RUN...", "Runs of one suite, such as its shards.")],
    out: options.OutOption = options.OUT,
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
    tracker: options.TrackerOption = None,
    plugin: options.PluginOption = None,
) -> None:
    """Send a finished run to MLflow, if that was down or is another server (MLFLOW_TRACKING_URI)."""
    from benchkit.session.past import sync as send

    outcomes = send(run, print_error, tracker or True, options.registry_with(plugin))
    for outcome, sent, place in outcomes:
        print(f"{sent.suite} {sent.id}: {outcome} ({place})")
