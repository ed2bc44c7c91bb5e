"""Connecting to MLflow; where it cannot be reached, that is known in seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchkit import Run, TrackingError, one_line
from benchkit_mlflow.address import hide_secrets, masked, sqlite_file, tracking_uri
from benchkit_mlflow.database import prepare_database
from benchkit_mlflow.quiet import quiet_mlflow

_DATABASES = ("postgresql", "mysql", "mssql")


def connect(out: Path, warn: Callable[[str], None]) -> Any:
    """A client of the MLflow that ``MLFLOW_TRACKING_URI`` names, or of the database in the output folder.

    Parameters
    ----------
    out : Path
        Output folder.
    warn : callable
        Is told in one line what was repaired.

    Returns
    -------
    mlflow.MlflowClient

    Raises
    ------
    Exception
        Whatever MLflow or a database driver raises; `explained` makes one line of it.
    """
    uri = tracking_uri(out)
    check_reachable(uri, warn)
    return quiet_mlflow().MlflowClient(uri)


def check_reachable(uri: str, warn: Callable[[str], None]) -> None:
    """Find out in seconds whether a database can be opened; one of SQLite is made where it is missing or broken.

    Parameters
    ----------
    uri : str
        Servers of MLflow are not asked: MLflow's own calls to them end soon enough.
    warn : callable
        Is told in one line what was repaired.
    """
    file = sqlite_file(uri)
    if file is not None:
        prepare_database(file, warn)
    elif uri.startswith(_DATABASES):
        _try_once(uri)


def _try_once(uri: str) -> None:
    """Connect to a database server: MLflow itself would try ten times, for two minutes."""
    import sqlalchemy

    engine = sqlalchemy.create_engine(uri)
    try:
        with engine.connect():
            pass
    finally:
        engine.dispose()


@contextmanager
def explained(run: Run) -> Iterator[None]:
    """Say of any failure which MLflow it was, and how the run gets there later.

    Raises
    ------
    TrackingError
        One line without secrets. The original exception is not chained to it: its message may hold the password.
    """
    try:
        yield
    except Exception as error:
        uri = tracking_uri(run.out)
        later = f"'benchkit sync {run.folder}' sends the run later"
        cause = hide_secrets(str(error) if isinstance(error, TrackingError) else one_line(error), uri)
        raise TrackingError(f"{later}; MLflow at {masked(uri)}: {cause}") from None
