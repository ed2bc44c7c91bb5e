"""Where MLflow is, connecting to it within seconds, and keeping its password out of everything that is printed."""

import logging
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus

from filelock import FileLock

from benchkit import Run, TrackingError, one_line

VARIABLE = "MLFLOW_TRACKING_URI"
DATABASE = "mlflow.db"

_SQLITE = "sqlite:///"
_DATABASES = (_SQLITE, "postgresql", "mysql", "mssql")
_SECONDS_TO_WAIT = 60.0  # while another process creates the database
# MLflow's place for runs that name no experiment. Here every run has its suite's, and the list is clearer without it.
_DEFAULT_EXPERIMENT = "0"
_SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    # By default a server that is down is asked for minutes, before the first trial and after the last.
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    "PGCONNECT_TIMEOUT": "10",
    # A connection that is kept would write to a file that was deleted or renamed since.
    "MLFLOW_SQLALCHEMYSTORE_POOLCLASS": "NullPool",
}
# Greedy up to the last @: whoever forgot to quote an @ or a / in a password still has it hidden.
_USER = re.compile(r"^[\w+.-]+://(?P<user>.+)@", re.DOTALL)
_SECRET_OPTION = re.compile(r"[?&;][^=&;#]*(?:pass|pwd|token|secret|key)[^=&;#]*=(?P<value>[^&;#]+)", re.IGNORECASE)
_SECRET_VARIABLES = ("MLFLOW_TRACKING_PASSWORD", "MLFLOW_TRACKING_TOKEN")


def tracking_uri(out: Path) -> str:
    """``MLFLOW_TRACKING_URI``, or the database in the output folder; to connect with, never to be printed."""
    return os.environ.get(VARIABLE) or f"{_SQLITE}{out.resolve() / DATABASE}"


def is_remote() -> bool:
    """Whether the user named a place for MLflow, instead of the database in the output folder."""
    return bool(os.environ.get(VARIABLE))


def sqlite_file(uri: str) -> Path | None:
    """The file of an SQLite database; None for any other address."""
    path = uri.removeprefix(_SQLITE).partition("?")[0]
    return Path(path) if uri.startswith(_SQLITE) and path not in ("", ":memory:") else None


def connect(out: Path) -> Any:
    """A client of the MLflow that ``MLFLOW_TRACKING_URI`` names, or of the database in the output folder.

    Of whatever MLflow or a database driver raises `explained` makes one line.
    """
    uri = tracking_uri(out)
    check_reachable(uri)
    return quiet_mlflow().MlflowClient(uri)


def check_reachable(uri: str) -> None:
    """Find out in seconds whether a database can be opened: MLflow would try ten times, for two minutes.

    A database of SQLite is made where there is none. Servers of MLflow are not asked: its own calls to them end soon.
    """
    import sqlalchemy

    file = sqlite_file(uri)
    if file is not None:
        _create(file)
    if uri.startswith(_DATABASES):
        engine = sqlalchemy.create_engine(uri)
        try:
            with engine.connect() as connection:
                sqlalchemy.inspect(connection).get_table_names()
        finally:
            engine.dispose()


def _create(path: Path) -> None:
    """Make a database where there is none, under another name, and rename it: a process that is killed leaves none.

    MLflow creates its tables in some fifty steps, and no later run can use what a kill or a full disk leaves of them.
    """
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Of several processes that start at once, one creates it.
    with FileLock(path.with_name(f".{path.name}.lock"), timeout=_SECONDS_TO_WAIT):
        if not path.exists():
            with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
                partial = Path(folder).resolve() / path.name
                quiet_mlflow().MlflowClient(f"{_SQLITE}{partial}").delete_experiment(_DEFAULT_EXPERIMENT)
                partial.rename(path)


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
    # What it logs before it raises would be a page of traceback.
    logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)
    for handler in logging.getLogger("mlflow").handlers:
        handler.addFilter(_SECRETS_HIDDEN)
    return mlflow


@contextmanager
def explained(run: Run) -> Iterator[None]:
    """Make any failure a `benchkit.TrackingError`: which MLflow it was, and how the run gets there later.

    It has no secrets. The original exception is not chained to it: its message may hold the password.
    """
    try:
        yield
    except Exception as error:
        later = f"'benchkit sync {run.folder}' sends the run later"
        raise TrackingError(f"{later}; {what_failed(error, tracking_uri(run.out))}") from None


def what_failed(error: Exception, uri: str) -> str:
    """Which MLflow it was, and why, without secrets."""
    return f"MLflow at {masked(uri)}: {hide_secrets(one_line(error), uri)}"


def is_refusal(error: Exception) -> bool:
    """Whether a server answered that it does not take what was sent, as by a limit or a right that it has."""
    response = getattr(error, "response", None)  # of requests: artifacts
    status = (
        error.get_http_status_code() if hasattr(error, "get_http_status_code") else getattr(response, "status_code", 0)
    )
    return 400 <= int(status or 0) < 500


def masked(uri: str) -> str:
    """An address to print: without user, password, and options such as ``?password=``."""
    return hide_secrets(uri, uri)


def hide_secrets(text: str, uri: str) -> str:
    """A text, such as an error's message, with ``***`` in place of each secret.

    These are the user and password of the tracking address, as written and as decoded, and the values of
    ``MLFLOW_TRACKING_PASSWORD`` and ``MLFLOW_TRACKING_TOKEN``.
    """
    secrets = [os.environ.get(name, "") for name in _SECRET_VARIABLES]
    if user := _USER.match(uri):
        secrets += [user["user"], user["user"].partition(":")[2]]  # without a colon it is a token
    secrets += [option["value"] for option in _SECRET_OPTION.finditer(uri)]
    secrets += [decode(secret) for secret in list(secrets) for decode in (unquote, unquote_plus)]
    for secret in sorted(set(secrets), key=len, reverse=True):
        if secret:
            text = text.replace(secret, "***")
    return text
