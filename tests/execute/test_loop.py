"""Trials go in, each comes out as one record, whatever the executor does with it."""

from concurrent.futures import Future
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

import benchkit
from benchkit.errors import OverMemoryError, OverTimeError, WorkerDiedError
from benchkit.execute import loop
from benchkit.execute.loop import run_trials

REGISTRY = SimpleNamespace(algorithms={"svm": SimpleNamespace(environment=None)})
TRIAL = SimpleNamespace(algorithm=SimpleNamespace(name="svm"))


class Scripted:
    """An executor that answers at once: the outcomes of each trial are listed in advance."""

    capacity = 1

    def __init__(self, outcomes):
        self.outcomes = {trial: list(listed) for trial, listed in outcomes.items()}
        self.submitted = []

    def submit(self, function, trial, trial_id, place, *, timeout):
        self.submitted.append(trial_id)
        outcome = self.outcomes[trial_id].pop(0)
        future = Future()
        if isinstance(outcome, BaseException):
            future.set_exception(outcome)
        else:
            future.set_result((outcome, ""))
        return future


def test_every_trial_is_one_record_and_only_a_death_is_repeated(monkeypatch):
    def record(trial, trial_id, status, *, error, outcome=None, reason=None):  # of a trial that is only a name
        return {"trial": trial_id, "status": status, "error": reason or str(error), **(outcome or {})}

    monkeypatch.setattr(loop, "record", record)
    dies = WorkerDiedError("killed")
    outcomes = {
        "recovers": [dies, {"trial": "recovers", "status": "ok"}],
        "dies": [dies, dies, dies],
        "slow": [OverTimeError("slow"), {"trial": "slow", "status": "ok"}],
        "large": [OverMemoryError("large", cpu_seconds=2.0, peak_mb=30.0)],
        "cannot-be-sent": [TypeError("cannot pickle")],
    }
    executor = Scripted(outcomes)
    ended = run_trials(executor, [(name, TRIAL) for name in outcomes], None, REGISTRY, retries=2)
    records = {answer[0]["trial"]: answer[0] for _, answer in ended if answer is not None}
    assert [executor.submitted.count(name) for name in outcomes] == [2, 3, 1, 1, 1]
    assert [records[name]["status"] for name in outcomes] == ["ok", "crashed", "timeout", "memory", "failed"]
    assert records["dies"]["error"] == "killed, 3 times"
    assert (records["large"]["cpu_seconds"], records["large"]["peak_mb"]) == (2.0, 30.0)


def test_no_more_trials_are_handed_over_than_a_stop_could_undo():
    """Trials are taken from the plan only as far as there is room for them."""
    taken = []

    def trials():
        for number in range(100):
            taken.append(number)
            yield str(number), TRIAL

    executor = Scripted({str(number): [{"trial": str(number), "status": "ok"}] for number in range(100)})
    next(run_trials(executor, trials(), None, REGISTRY))
    assert len(taken) == executor.capacity * 8


PLUGIN = """
from concurrent.futures import Future
from benchkit import Executor, OverTimeError, WorkerDiedError, hookimpl
from benchkit.execute.work import InlineExecutor

class OutOfReachError(WorkerDiedError): pass
class OverHoursError(OverTimeError): pass

class Odd(InlineExecutor):
    calls = 0
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
        return future if self.calls < 5 else super().submit(function, *args, timeout=timeout)

@hookimpl
def benchkit_executors():
    return [Executor(name="odd", make=Odd)]
"""


@pytest.fixture
def run_suite(tiny, write_suite, write_plugin, tmp_path):
    options = {"out": tmp_path / "runs", "tracking": False, "plugins": [write_plugin(PLUGIN)]}
    return partial(benchkit.run, write_suite(tiny), **options)


def test_errors_of_an_executors_own_kinds_and_a_submit_that_fails(run_suite):
    results = run_suite(executor="odd")
    assert results.statuses == {"crashed": 3, "timeout": 1, "ok": 4}
    assert {row["error"] for row in results.records} == {
        None,
        "the node is gone",
        "the executor cancelled it",
        "no hours left",
        "plugin 'my_plugin': executor 'odd': submit failed: RuntimeError: closed",
    }
    assert run_suite().ran == 4  # the journal has them, and only those are run again


def test_a_trial_that_the_executor_lost_is_an_error_and_a_row(run_suite, monkeypatch):
    monkeypatch.setattr(loop, "run_trials", lambda *arguments: list(run_trials(*arguments))[1:])
    with pytest.warns(UserWarning, match="the executor returned nothing for 1 planned trial"):
        results = run_suite(executor="inline")
    assert results.statuses == {"crashed": 1, "ok": 7}
    assert not results.ok
    assert len(Path(results.folder.parent, "trials.jsonl").read_text().splitlines()) == 8
