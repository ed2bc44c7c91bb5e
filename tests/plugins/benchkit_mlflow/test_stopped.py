"""Runs that are stopped or killed while their report is written do not stay RUNNING in MLflow."""

import multiprocessing
import os
import signal
import time

import pytest

import benchkit
from benchkit.journal.store import Store, is_written
from benchkit.session import loop as run_loop
from benchkit.session.past import sync
from benchkit_mlflow.connection import quiet_mlflow, tracking_uri
from benchkit_mlflow.experiments import RUN
from tests.conftest import PATIENCE

TRIALS = 2


@pytest.fixture
def run(dashboard, tiny, write_suite, tmp_path):
    tiny.update(algorithms=["constant"], adversaries=[])

    def run(**options):
        return benchkit.run(write_suite({**tiny, **options}), out=tmp_path / "runs", executor="inline", tracking=True)

    return run


@pytest.fixture
def statuses(dashboard, tmp_path):
    """How MLflow says that runs ended, by suite."""
    client = quiet_mlflow().MlflowClient(tracking_uri(tmp_path / "runs"))

    def statuses():
        experiments = {each.experiment_id: each.name for each in client.search_experiments()}
        found = client.search_runs(list(experiments))
        return {
            name: {each.info.status for each in found if experiments[each.info.experiment_id] == name}
            for name in experiments.values()
        }

    return statuses


def interrupt(*_, **__):
    raise KeyboardInterrupt


def terminate(*_, **__):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)


def kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def _sigterm_fails():
    """Instead of ending the process of all tests, where nothing takes the signal."""
    before = signal.signal(signal.SIGTERM, lambda *_: pytest.fail("SIGTERM would have ended the process"))
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("stop", [interrupt, terminate])
@pytest.mark.usefixtures("_sigterm_fails")
def test_a_run_that_is_stopped_while_its_report_is_written_was_killed(run, statuses, tmp_path, monkeypatch, stop):
    with monkeypatch.context() as patch:
        patch.setattr(run_loop, "write_files", stop)
        with pytest.raises(KeyboardInterrupt):
            run()
    assert statuses() == {"tiny": {"KILLED"}}
    (folder,) = Store(tmp_path / "runs", "tiny").runs()
    assert run().ran == 0  # what has nothing to do logs nothing
    assert statuses() == {"tiny": {"KILLED"}}
    assert sync(folder)[0][0] == "sent again"
    assert statuses() == {"tiny": {"FINISHED"}}
    client = quiet_mlflow().MlflowClient(tracking_uri(tmp_path / "runs"))
    experiment = client.get_experiment_by_name("tiny").experiment_id
    (report,) = client.search_runs([experiment], f"attributes.status = 'FINISHED' and metrics.trials_ok = {TRIALS}")
    here = f"tags.`{RUN}` = '{report.data.tags[RUN]}' and params.algorithm = 'constant'"
    assert [list(each.data.metrics) for each in client.search_runs([experiment], here)] == [["error/breast"]]


@pytest.mark.usefixtures("_sigterm_fails")
def test_so_was_one_that_is_stopped_while_it_is_sent(run, statuses, tmp_path, monkeypatch):
    from benchkit_mlflow.tracking import MlflowTracking

    with monkeypatch.context() as patch:
        patch.setattr(MlflowTracking, "_finish", terminate)
        with pytest.raises(KeyboardInterrupt):
            run()
    assert statuses() == {"tiny": {"KILLED"}}
    (folder, _) = [*Store(tmp_path / "runs", "tiny").runs(), run().folder]
    assert sync(folder)[0][0] == "sent again"
    assert statuses() == {"tiny": {"FINISHED"}}


def test_a_curve_that_is_made_when_ctrl_c_comes_is_ended_with_the_run(run, statuses, monkeypatch):
    from benchkit_mlflow.tracking import MlflowTracking

    def made_but_not_noted(self, label):
        self._create(label, {})
        raise KeyboardInterrupt

    monkeypatch.setattr(MlflowTracking, "_method", made_but_not_noted)
    assert run().interrupted
    assert statuses() == {"tiny": {"FINISHED", "KILLED"}}  # the trials of the run itself had all ended


def test_one_that_runs_out_of_disk_while_it_reports_was_killed_too(run, statuses, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_loop, "write_files", full)
    with pytest.raises(benchkit.JournalError, match="No space left"):
        run()
    assert statuses() == {"tiny": {"KILLED"}}


@pytest.fixture
def killed(run, statuses, monkeypatch):
    """A run that a signal ended which no process can take, in the middle of its report."""
    with monkeypatch.context() as patch:
        patch.setattr(run_loop, "write_files", kill)
        process = multiprocessing.get_context("fork").Process(target=run)
        process.start()
        process.join(PATIENCE)
    assert process.exitcode == -signal.SIGKILL
    assert statuses() == {"tiny": {"RUNNING"}}


def nothing_to_do(run, out):
    assert run().ran == 0


def another_suite(run, out):
    assert run(name="other", algorithms=["svm"]).ok


def send(run, out):
    results = run(name="other", algorithms=["svm"])
    assert sync(results.folder)[0][0] == "already there"


@pytest.mark.parametrize("command", [nothing_to_do, another_suite, send])
@pytest.mark.usefixtures("killed")
def test_one_that_was_killed_is_ended_by_the_next_command(run, statuses, tmp_path, command):
    command(run, tmp_path / "runs")
    assert statuses()["tiny"] == {"KILLED"}


@pytest.mark.usefixtures("killed")
def test_one_that_goes_on_is_left_alone(run, statuses, tmp_path):
    store = Store(tmp_path / "runs", "tiny")
    store.open()
    try:
        assert run(name="other", algorithms=["svm"]).ok
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


@pytest.mark.usefixtures("killed")
def test_a_database_that_cannot_be_written_is_said_in_one_line(run, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("attempt to write a readonly database")

    monkeypatch.setattr("benchkit_mlflow.experiments.connect", refuse)
    with pytest.warns(UserWarning, match="tracker 'mlflow': end_killed failed: .*readonly"):
        assert run().ran == 0
