"""The dashboard's database is there whole or not at all, whatever happens to the process that creates it."""

import multiprocessing
import os
import random
import resource
import signal
import time

import pytest

from benchkit_mlflow import connection
from benchkit_mlflow.connection import check_reachable, quiet_mlflow
from tests.conftest import PATIENCE, until

_KILLS = 6


def experiments(path):
    return quiet_mlflow().MlflowClient(f"sqlite:///{path}").search_experiments()


def _create_when_told(path, ready, go):
    quiet_mlflow()
    ready.set()
    go.wait()
    check_reachable(f"sqlite:///{path}")


def test_killed_at_any_moment_of_creation_the_next_one_succeeds(tmp_path):
    """Every process is killed later than the one before, until one is done: all of creation is covered."""
    path = tmp_path / "mlflow.db"
    context = multiprocessing.get_context("fork")
    quiet_mlflow()  # or each process imports it
    generator = random.Random(2026)
    killed_in_the_middle = 0
    for attempt in range(_KILLS):
        ready, go = context.Event(), context.Event()
        process = context.Process(target=_create_when_told, args=(path, ready, go))
        process.start()
        assert ready.wait(PATIENCE)
        go.set()
        if attempt % 2:  # at random after the file came to be, so that some kills meet the migrations
            until(lambda: list(tmp_path.glob(".mlflow.db-*/*")))
        if attempt != 1:  # which surely does: fifty migrations take longer than to see their file
            time.sleep(generator.uniform(0, 0.5))
        os.kill(process.pid, signal.SIGKILL)
        process.join(PATIENCE)
        killed_in_the_middle += bool(list(tmp_path.glob(".mlflow.db-*/*")))
        path.unlink(missing_ok=True)  # where it was done already
    assert killed_in_the_middle >= 1, "no kill met the creation"
    check_reachable(f"sqlite:///{path}")
    assert experiments(path) == []  # and the experiment Default is out of the way


def test_a_database_that_is_whole_stays(tmp_path, created_database):
    path = tmp_path / "mlflow.db"
    path.write_bytes(created_database)
    check_reachable(f"sqlite:///{path}")
    assert path.read_bytes() == created_database


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.mkdir(), "unable to open database file"),
        (lambda path: path.write_bytes(b"no database at all, but long enough to have a header" * 20), "not a database"),
    ],
    ids=["folder", "foreign"],
)
def test_one_that_cannot_be_opened_is_known_without_mlflow(tmp_path, monkeypatch, make, why):
    """MLflow would try for minutes."""
    monkeypatch.setattr(connection, "quiet_mlflow", lambda: pytest.fail("MLflow was asked"))
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("it waits"))
    make(tmp_path / "mlflow.db")
    with pytest.raises(Exception, match=why):
        check_reachable(f"sqlite:///{tmp_path}/mlflow.db")


def _create_on_a_full_disk(path, there):
    """A limit on the size of files stands for the disk: SQLite reports both as "disk I/O error" or "disk is full"."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        check_reachable(f"sqlite:///{path}")
    except Exception as error:
        there.send(type(error).__name__)


def test_a_full_disk_leaves_nothing_behind(tmp_path):
    quiet_mlflow()  # or the process imports it
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_create_on_a_full_disk, args=(tmp_path / "mlflow.db", there))
    process.start()
    assert here.poll(120)
    assert here.recv() == "OperationalError"
    process.join(PATIENCE)
    assert [file.name for file in tmp_path.iterdir()] == [".mlflow.db.lock"]
