"""The SQLite database of the dashboard: made whole or not at all; one that is broken is set aside."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from filelock import FileLock, Timeout

from benchkit import TrackingError
from benchkit_mlflow.quiet import quiet_mlflow

_SECONDS_TO_WAIT = 60.0  # while another process creates it
_SECONDS_IF_LOCKED = 5.0
_COMPANIONS = ("-journal", "-wal", "-shm")  # SQLite's files beside a database
# MLflow's place for runs that name no experiment. Here every run has its suite's, and the list is clearer without it.
_DEFAULT_EXPERIMENT = "0"
_CORRUPT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def prepare_database(path: Path, warn: Callable[[str], None]) -> None:
    """Make sure that a database is there that MLflow can open.

    MLflow creates its tables in some fifty steps; a process that is killed between two of them, or a disk that is full,
    leaves a file that no later run can use. So the database is created under another name and moved in whole.

    Parameters
    ----------
    path : Path
        Of the database. Its folder is made.
    warn : callable
        Is told in one line that a broken database was set aside, and where it is.

    Raises
    ------
    TrackingError, OSError
        It cannot be opened, or not be created.
    """
    # A connection that is kept would write to a file that was deleted or renamed since, such as by a notebook's user.
    os.environ.setdefault("MLFLOW_SQLALCHEMYSTORE_POOLCLASS", "NullPool")
    if _is_usable(path):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        # Of several processes that start at once, one creates it; the lock goes with a process that is killed.
        with FileLock(path.with_name(f".{path.name}.lock"), timeout=_SECONDS_TO_WAIT):
            if _is_usable(path):
                return
            if path.exists():
                warn(f"{path} was broken, by a process that was killed or a full disk; it is now {_set_aside(path)}")
            _create(path)
    except Timeout:
        raise TrackingError(f"{path}: another process has been creating it for {_SECONDS_TO_WAIT:.0f} s") from None


def _is_usable(path: Path) -> bool:
    """Whether there is a database in which MLflow finished creating its tables.

    An outdated one is: MLflow says itself how it is upgraded. The experiment "Default" is the last thing that MLflow
    creates, so a database without any experiment was never completed, and has nothing to lose.

    Raises
    ------
    TrackingError
        It cannot be opened, which says nothing about what is in it.
    """
    if not path.exists():
        return False
    if not (path.is_file() or path.is_dir()):  # SQLite says of a folder what it is
        raise TrackingError(f"{path} is a device or a pipe, no database; move it away")
    try:
        # Not read-only: what a killed process left half-written must be rolled back.
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_SECONDS_IF_LOCKED)
        with closing(connection):
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not {"experiments", "alembic_version"} <= tables:
                return False
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            (page_size,) = connection.execute("PRAGMA page_size").fetchone()
            if path.stat().st_size < pages * page_size:
                return False
            return connection.execute("SELECT 1 FROM experiments LIMIT 1").fetchone() is not None
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in _CORRUPT:  # the low byte; the rest are details
            return False
        raise TrackingError(f"{path}: {error}") from None


def _set_aside(path: Path) -> Path:
    """Rename a database, with SQLite's files beside it; return where it is now."""
    number = 1
    while (aside := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    for companion in _COMPANIONS:
        beside = Path(f"{path}{companion}")
        if beside.exists():
            beside.rename(f"{aside}{companion}")
    path.rename(aside)
    return aside


def _create(path: Path) -> None:
    """Create the tables under another name, and move the database in; the caller holds the lock."""
    # MLflow remembers of an address that its tables are there: each attempt of a process has another one.
    partial = path.with_name(f"{path.name}.partial-{os.getpid()}-{time.monotonic_ns()}")
    _remove_partial(path)  # of a process that was killed
    try:
        client = quiet_mlflow().MlflowClient(f"sqlite:///{partial.resolve()}")
        client.delete_experiment(_DEFAULT_EXPERIMENT)
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    finally:
        _remove_partial(path)


def _remove_partial(path: Path) -> None:
    """Remove databases that were not completed, and SQLite's files beside them; the lock says that nobody uses them."""
    for file in path.parent.iterdir():
        if file.name.startswith(f"{path.name}.partial-"):
            file.unlink()
