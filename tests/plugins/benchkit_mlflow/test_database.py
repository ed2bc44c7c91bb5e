"""The dashboard's database is there whole or not at all, whatever happens to the process that creates it."""

import multiprocessing
import os
import random
import resource
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from benchkit import TrackingError
from benchkit_mlflow import database
from benchkit_mlflow.address import sqlite_file, tracking_uri
from benchkit_mlflow.database import prepare_database
from benchkit_mlflow.quiet import quiet_mlflow

_KILLS = 6


def no_warning(message):
    pytest.fail(message)


def experiments(path):
    return quiet_mlflow().MlflowClient(f"sqlite:///{path}").search_experiments()


def _create_when_told(path, ready, go):
    quiet_mlflow()
    ready.set()
    go.wait()
    prepare_database(Path(path), print)


@pytest.mark.whole
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
        assert ready.wait(120)
        go.set()
        if attempt % 2:  # at random after the file came to be, so that some kills meet the migrations
            deadline = time.monotonic() + 60
            while not list(tmp_path.glob("mlflow.db*")) and time.monotonic() < deadline:
                time.sleep(0.001)
        if attempt != 1:  # which surely does: fifty migrations take longer than to see their file
            time.sleep(generator.uniform(0, 0.5))
        os.kill(process.pid, signal.SIGKILL)
        process.join(30)
        killed_in_the_middle += bool(list(tmp_path.glob("mlflow.db.partial-*")))
        path.unlink(missing_ok=True)  # where it was done already
    assert killed_in_the_middle >= 1, "no kill met the creation"
    prepare_database(path, no_warning)
    assert experiments(path) == []  # and the experiment Default is out of the way
    assert sorted(file.name for file in tmp_path.iterdir()) == [".mlflow.db.lock", "mlflow.db"]


@pytest.mark.whole
def test_ctrl_c_while_it_is_created_leaves_nothing_behind_and_the_same_process_can_try_again(tmp_path, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    path = tmp_path / "mlflow.db"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            prepare_database(path, no_warning)
    assert [file.name for file in tmp_path.iterdir()] == [".mlflow.db.lock"]
    prepare_database(path, no_warning)
    assert experiments(path) == []


def half_created(path, whole):
    path.write_bytes(whole)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE experiments")
    connection.close()


def never_completed(path, whole):
    path.write_bytes(whole)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM experiments")
    connection.close()


@pytest.mark.parametrize(
    "break_it",
    [
        half_created,
        pytest.param(never_completed, marks=pytest.mark.whole),
        pytest.param(lambda path, whole: path.write_bytes(b""), marks=pytest.mark.whole),
        lambda path, whole: path.write_bytes(b"no database at all, but long enough to have a header" * 20),
        pytest.param(lambda path, whole: path.write_bytes(whole[: len(whole) // 2]), marks=pytest.mark.whole),
    ],
    ids=["tables missing", "no experiment", "empty", "foreign", "torn"],
)
def test_a_broken_database_is_set_aside_and_named_in_one_line(tmp_path, created_database, break_it, monkeypatch):
    if break_it is not half_created:  # one is created anew as it would be, the others as quickly
        monkeypatch.setattr(database, "_create", lambda path: path.write_bytes(created_database))
    path = tmp_path / "mlflow.db"
    break_it(path, created_database)
    broken = path.read_bytes()
    said = []
    prepare_database(path, said.append)
    assert (tmp_path / "mlflow.db.broken-1").read_bytes() == broken
    (line,) = said
    assert "mlflow.db.broken-1" in line
    assert "\n" not in line
    assert experiments(path) == []


def test_a_database_that_is_whole_stays(tmp_path, created_database):
    path = tmp_path / "mlflow.db"
    path.write_bytes(created_database)
    prepare_database(path, no_warning)
    assert path.read_bytes() == created_database


def test_one_that_cannot_be_opened_is_known_without_mlflow(tmp_path, monkeypatch):
    """MLflow would try for minutes."""
    monkeypatch.setattr(database, "quiet_mlflow", lambda: pytest.fail("MLflow was asked"))
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("it waits"))
    path = tmp_path / "mlflow.db"
    path.mkdir()
    with pytest.raises(TrackingError, match="unable to open database file"):
        prepare_database(path, no_warning)


def _create_on_a_full_disk(path, there):
    """A limit on the size of files stands for the disk: SQLite reports both as "disk I/O error" or "disk is full"."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        prepare_database(path, print)
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
    process.join(30)
    assert [file.name for file in tmp_path.iterdir()] == [".mlflow.db.lock"]


def test_a_database_that_is_a_pipe_or_a_device_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "mlflow.db").symlink_to(tmp_path / "pipe")
    with pytest.raises(TrackingError, match="mlflow.db is a device or a pipe, no database; move it away"):
        prepare_database(tmp_path / "mlflow.db", pytest.fail)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mlflow.db", "pipe"]


@pytest.mark.whole
def test_what_a_link_leads_to_is_not_set_aside(tmp_path, monkeypatch):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "mlflow.db").symlink_to(tmp_path / "mine.txt")
    path = sqlite_file(tracking_uri(tmp_path))
    told = []
    prepare_database(path, told.append)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert not path.is_symlink()
    assert (tmp_path / "mlflow.db.broken-1").is_symlink()
    assert len(told) == 1
