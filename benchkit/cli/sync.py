"""``benchkit sync``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.console import SOME_FAILED, print_error
from benchkit.cli.interface.options import PluginOption, TrackerOption, registry_with


def sync(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A suite's folder (its newest run) or a run's folder.")],
    tracker: TrackerOption = None,
    plugin: PluginOption = None,
) -> None:
    """Send a finished run to MLflow, if that was down or is another server (MLFLOW_TRACKING_URI)."""
    from benchkit.plugin.declarations import TrackingError
    from benchkit.session.past.sync import sync as send

    try:
        outcomes = send(run, print_error, tracker or True, registry_with(plugin))
    except TrackingError as error:
        print_error(str(error))
        raise typer.Exit(SOME_FAILED) from None
    for outcome, sent, place in outcomes:
        print(f"{sent.suite} {sent.id}: {outcome} ({place})")
