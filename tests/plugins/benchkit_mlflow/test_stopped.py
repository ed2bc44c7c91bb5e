"""Runs that are stopped or killed while their report is written do not stay RUNNING in MLflow."""

import multiprocessing
import os
import signal
import time

import pytest

from benchkit.journal.store import Store, is_written
from benchkit.session import loop as run_loop
from benchkit.session.past import sync
from benchkit_mlflow.connection import tracking_uri
from benchkit_mlflow.experiments import RUN
from benchkit_mlflow.tracking import MlflowTracking
from tests.conftest import PATIENCE


@pytest.fixture
def one(run):
    def one(out="runs", tracking=True, **suite):
        return run(out, {"algorithms": ["constant"], "adversaries": [], **suite}, tracking=tracking)

    return one


@pytest.fixture
def statuses(client):
    """How MLflow says that runs ended, by suite."""

    def statuses():
        names = {each.experiment_id: each.name for each in client.search_experiments()}
        ended = {name: set() for name in names.values()}
        for found in client.search_runs(list(names)):
            ended[names[found.info.experiment_id]].add(found.info.status)
        return ended

    return statuses


def interrupt(*_, **__):
    raise KeyboardInterrupt


def terminate(*_, **__):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)


@pytest.fixture
def _sigterm_fails():
    """Instead of ending the process of all tests, where nothing takes the signal."""
    before = signal.signal(signal.SIGTERM, lambda *_: pytest.fail("SIGTERM would have ended the process"))
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("stop", [interrupt, terminate])
@pytest.mark.usefixtures("_sigterm_fails")
def test_a_run_that_is_stopped_in_its_report_was_killed(one, client, logged, statuses, tmp_path, monkeypatch, stop):
    with monkeypatch.context() as patch:
        patch.setattr(run_loop, "write_files", stop)
        with pytest.raises(KeyboardInterrupt):
            one()
    assert statuses() == {"tiny": {"KILLED"}}
    (folder,) = Store(tmp_path / "runs", "tiny").runs()
    assert one().ran == 0  # what has nothing to do logs nothing
    assert statuses() == {"tiny": {"KILLED"}}
    assert sync(folder)[0][0] == "sent again"
    assert statuses() == {"tiny": {"FINISHED"}}
    ((report, *_), methods) = logged(client)
    assert report.data.metrics["trials_ok"] == 2
    here = [each for each in methods if each.data.tags[RUN] == report.data.tags[RUN]]
    assert [list(each.data.metrics) for each in here] == [["error/breast"]]


def test_a_curve_that_is_made_when_ctrl_c_comes_is_ended_with_the_run(one, statuses, monkeypatch):
    def made_but_not_noted(self, label):
        self._create(label, {})
        raise KeyboardInterrupt

    monkeypatch.setattr(MlflowTracking, "_method", made_but_not_noted)
    assert one().interrupted
    assert statuses() == {"tiny": {"FINISHED", "KILLED"}}  # the trials of the run itself had all ended


@pytest.fixture
def killed(one, statuses, monkeypatch):
    """A run that a signal ended which no process can take, in the middle of its report."""
    with monkeypatch.context() as patch:
        patch.setattr(run_loop, "write_files", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        process = multiprocessing.get_context("fork").Process(target=one)
        process.start()
        process.join(PATIENCE)
    assert process.exitcode == -signal.SIGKILL
    assert statuses() == {"tiny": {"RUNNING"}}


def another_suite(one, **options):
    return one(name="other", algorithms=["svm"], **options)


@pytest.mark.parametrize(
    "command",
    [lambda one: one().ran == 0, another_suite, lambda one: sync(another_suite(one, tracking=False).folder)],
    ids=["nothing to do", "another suite", "sync"],
)
@pytest.mark.usefixtures("killed")
def test_one_that_was_killed_is_ended_by_the_next_command(one, statuses, tmp_path, monkeypatch, command):
    with monkeypatch.context() as patch:  # a run of another journal knows nothing of it
        patch.setenv("MLFLOW_TRACKING_URI", tracking_uri(tmp_path / "runs"))
        assert one("elsewhere").ok
    assert statuses()["tiny"] == {"RUNNING", "FINISHED"}
    assert command(one)
    assert statuses()["tiny"] == {"KILLED", "FINISHED"}


@pytest.mark.usefixtures("killed")
def test_one_that_goes_on_is_left_alone(one, statuses, tmp_path):
    store = Store(tmp_path / "runs", "tiny")
    store.open()
    try:
        assert another_suite(one).ok
        assert statuses() == {"tiny": {"RUNNING"}, "other": {"FINISHED"}}
    finally:
        store.close()


@pytest.mark.parametrize(
    ("suite", "name"), [("tiny", ".."), ("../runs/tiny", "1"), ("", ""), ("tiny", "gone"), ("a\0", "b")]
)
def test_names_of_strangers_are_looked_for_nowhere_else(tmp_path, suite, name):
    (tmp_path / "runs/tiny/1").mkdir(parents=True)
    (tmp_path / "runs/tiny/.lock").touch()
    assert is_written(tmp_path / "runs", "tiny", "1") is False
    assert is_written(tmp_path / "runs", suite, name) is not False
