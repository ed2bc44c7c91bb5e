"""``benchkit sync``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def sync(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A suite's folder (its newest run) or a run's folder.")],
) -> None:
    """Send a run to MLflow: because it was down, or to the server that MLFLOW_TRACKING_URI names."""
    from benchkit.cli.interface.errors import SOME_FAILED, print_error
    from benchkit.tracking.address import masked, tracking_uri
    from benchkit.tracking.errors import TrackingError
    from benchkit.tracking.sync import sync as send

    try:
        outcomes = send(run, print_error)
    except TrackingError as error:
        print_error(str(error))
        raise typer.Exit(SOME_FAILED) from None
    for outcome, sent in outcomes:
        print(f"{sent.suite} {sent.id}: {outcome} ({masked(tracking_uri(sent.out))})")
