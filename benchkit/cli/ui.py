"""``benchkit ui``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli.options import OUT, OutOption


def ui(
    out: OutOption = OUT,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the dashboard.")] = 5000,
    suite: Annotated[str | None, typer.Option(metavar="NAME", help="Suite to open; the latest where absent.")] = None,
) -> None:
    """Serve the MLflow dashboard and print the address of a ready-made view."""
    import os
    import subprocess
    import sys

    from benchkit.journal import JournalError
    from benchkit.tracking.mlflow import VIEW, quiet_mlflow, tracking_uri

    if "MLFLOW_TRACKING_URI" not in os.environ and not (out / "mlflow.db").exists():
        raise JournalError(f"{out}: no dashboard yet; run a suite first, or name its folder with --out")
    client = quiet_mlflow().MlflowClient(tracking_uri(out))
    experiments = [found for found in client.search_experiments() if suite in (None, found.name)]
    experiments = [found for found in experiments if f"mlflow.sharedViewState.{VIEW}" in found.tags]
    if not experiments:
        raise JournalError(f"{out}: no experiment {suite or ''} in the dashboard")
    newest = max(experiments, key=lambda found: found.last_update_time or 0)
    query = f"workflowType=machine_learning&viewStateShareKey={VIEW}&compareRunsMode=CHART"
    print(f"http://127.0.0.1:{port}/#/experiments/{newest.experiment_id}/runs?{query}", flush=True)
    command = [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", tracking_uri(out), "--port", str(port)]
    raise typer.Exit(subprocess.call(command))
