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
    """Serve the MLflow dashboard and print the addresses of ready-made views."""
    import json
    import os
    import sys

    from benchkit.journal import JournalError
    from benchkit.tracking.mlflow import DATABASE, quiet_mlflow, tracking_uri
    from benchkit.tracking.views import ALL

    if "MLFLOW_TRACKING_URI" not in os.environ and not (out / DATABASE).exists():
        raise JournalError(f"{out}: no dashboard yet; run a suite first, or name its folder with --out")
    client = quiet_mlflow().MlflowClient(tracking_uri(out))
    prefix = "mlflow.sharedViewState."
    experiments = [found for found in client.search_experiments() if suite in (None, found.name)]
    experiments = [found for found in experiments if prefix + ALL in found.tags]
    if not experiments:
        raise JournalError(f"{out}: no experiment {suite or ''} in the dashboard")
    newest = max(experiments, key=lambda found: found.last_update_time or 0)
    for tag in sorted(tag for tag in newest.tags if tag.startswith(prefix + ALL)):
        state = json.loads(newest.tags[tag])
        query = f"workflowType=machine_learning&viewStateShareKey={tag.removeprefix(prefix)}&compareRunsMode=CHART"
        print(state["compareRunSections"][0]["name"])
        print(f"  http://127.0.0.1:{port}/#/experiments/{newest.experiment_id}/runs?{query}", flush=True)
    command = [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", tracking_uri(out), "--port", str(port)]
    os.execv(sys.executable, command)  # so that whoever stops benchkit stops the server
