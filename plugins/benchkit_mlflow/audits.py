"""An audit as a run of MLflow: its numbers with their intervals, its page."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchkit_mlflow.address import is_remote
from benchkit_mlflow.connection import connect

EXPERIMENT = "audits"
_FOLDER = "benchkit.audit"


def log_audit(folder: Path, title: str, measures: Mapping[str, Any], warn: Callable[[str], None]) -> None:
    """Log an audit in the experiment ``audits``, beside the runs of the folder that its own lies in.

    What was logged of the same folder before is deleted: it is the same audit, perhaps with more parts.

    Parameters
    ----------
    folder : Path
        That the audit is kept in.
    title : str
    measures : mapping of str to numbers with ``value``, ``low`` and ``high``
    warn : callable
        Is told in one line what was repaired.
    """
    from mlflow.entities import Metric

    out = folder.parent
    client = connect(out, warn)
    known = client.get_experiment_by_name(EXPERIMENT)
    if known is None:
        location = None if is_remote() else (out / "mlartifacts").resolve().as_uri()
        experiment = str(client.create_experiment(EXPERIMENT, artifact_location=location))
    else:
        experiment = str(known.experiment_id)
        if known.lifecycle_stage == "deleted":
            client.restore_experiment(experiment)
        quoted = str(folder).replace("'", "")
        for earlier in client.search_runs([experiment], f"tags.`{_FOLDER}` = '{quoted}'"):
            client.delete_run(earlier.info.run_id)
    tags = {"mlflow.runName": title, _FOLDER: str(folder).replace("'", "")}
    run = client.create_run(experiment, tags=tags).info.run_id
    now = int(1000 * time.time())
    ends = [(name, end, getattr(each, end)) for name, each in measures.items() for end in ("value", "low", "high")]
    metrics = [Metric(name if end == "value" else f"{name}.{end}", number, now, 0) for name, end, number in ends]
    client.log_batch(run, metrics=metrics)
    page = folder / "report.html"
    if page.is_file():
        client.log_artifact(run, str(page))
    client.set_terminated(run)
