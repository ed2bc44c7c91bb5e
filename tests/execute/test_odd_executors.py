"""Whatever an executor does with a trial, the trial ends as one row."""

from concurrent.futures import Future
from pathlib import Path

import pytest

import benchkit

PLUGIN = """
from concurrent.futures import Future
from benchkit import Executor, OverTimeError, WorkerDiedError, hookimpl

class OutOfReachError(WorkerDiedError):
    pass

class OverHoursError(OverTimeError):
    pass

class Odd:
    capacity = 2
    def __enter__(self):
        self.calls = 0
        return self
    def __exit__(self, *problem):
        return None
    def submit(self, function, *args, timeout):
        self.calls += 1
        future = Future()
        if self.calls == 1:
            future.set_exception(OutOfReachError("the node is gone"))
        elif self.calls == 2:
            future.cancel()
            future.set_running_or_notify_cancel()
        elif self.calls == 3:
            future.set_exception(OverHoursError("no hours left"))
        elif self.calls == 4:
            raise RuntimeError("closed")
        else:
            future.set_result(function(*args))
        return future

@hookimpl
def benchkit_executors():
    return [Executor(name="odd", make=Odd)]
"""


@pytest.fixture
def run(tiny, write_suite, write_plugin, tmp_path):
    def run_it(**options):
        options = {"out": tmp_path / "runs", "tracking": False, "plugins": [write_plugin(PLUGIN)], **options}
        return benchkit.run(write_suite(tiny), **options)

    return run_it


def test_errors_of_an_executors_own_kinds_and_a_submit_that_fails(run):
    results = run(executor="odd")
    assert results.statuses == {"crashed": 3, "timeout": 1, "ok": 4}
    assert {row["error"] for row in results.records} == {
        None,
        "the node is gone",
        "the executor cancelled it",
        "no hours left",
        "plugin 'my_plugin': executor 'odd': submit failed: RuntimeError: closed",
    }
    assert run().ran == 4  # the journal has them, and only those are run again


def test_a_trial_that_the_executor_lost_is_an_error_and_a_row(run, monkeypatch):
    from benchkit.execute.loop import Loop

    runs_all = Loop.run
    monkeypatch.setattr(Loop, "run", lambda self, trials: list(runs_all(self, trials))[1:])
    with pytest.warns(UserWarning, match="the executor returned nothing for 1 planned trial"):
        results = run(executor="inline")
    assert results.statuses == {"crashed": 1, "ok": 7}
    assert not results.ok
    assert len(Path(results.folder.parent, "trials.jsonl").read_text().splitlines()) == 8


def test_plugins_get_the_errors_from_the_public_interface():
    for name in ("EndedError", "OverTimeError", "OverMemoryError", "WorkerDiedError"):
        assert issubclass(getattr(benchkit, name), benchkit.EndedError)
    future = Future()
    future.set_exception(benchkit.OverMemoryError("too much", cpu_seconds=1.0, peak_mb=900.0))
    assert future.exception().usage.peak_mb == 900.0
