"""MLflow without its telemetry, its log lines, and secrets in what is left of them."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from benchkit_mlflow.address import hide_secrets, tracking_uri

_SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    # By default a server that is down is asked for minutes, before the first trial and after the last.
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    "PGCONNECT_TIMEOUT": "10",
}


class _SecretsHidden(logging.Filter):
    """Hides the address's password in MLflow's log lines, and cuts their tracebacks: the error itself is raised."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = hide_secrets(record.getMessage(), tracking_uri(Path())), ()
        record.exc_info = record.exc_text = None
        return True


_SECRETS_HIDDEN = _SecretsHidden()


def quiet_mlflow() -> Any:
    """MLflow, imported without telemetry and without the migration's log lines."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    import mlflow

    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # What it logs before it raises would be a page of traceback, and a warning for each of ten attempts.
    logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)
    for handler in logging.getLogger("mlflow").handlers:
        handler.addFilter(_SECRETS_HIDDEN)
    return mlflow
