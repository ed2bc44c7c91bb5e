"""Trials go in, each comes out as one record, whatever the executor does with it."""

from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import pytest

import benchkit
from benchkit.errors import OverMemoryError, OverTimeError, WorkerDiedError
from benchkit.execute import loop
from benchkit.execute.loop import run_trials

REGISTRY = SimpleNamespace(algorithms={"svm": SimpleNamespace(environment=None)})
TRIAL = SimpleNamespace(algorithm=SimpleNamespace(name="svm"))


class OutOfReachError(WorkerDiedError):
    """Of an executor's own."""


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
        if outcome == "cancelled":
            future.cancel()
            future.set_running_or_notify_cancel()
        elif isinstance(outcome, BaseException):
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
        "node-is-gone": [OutOfReachError("gone"), {"trial": "node-is-gone", "status": "ok"}],
        "cancelled": ["cancelled"] * 3,
        "recovers": [dies, {"trial": "recovers", "status": "ok"}],
        "dies": [dies, dies, dies],
        "slow": [OverTimeError("slow"), {"trial": "slow", "status": "ok"}],
        "large": [OverMemoryError("large", cpu_seconds=2.0, peak_mb=30.0)],
        "cannot-be-sent": [TypeError("cannot pickle")],
    }
    executor = Scripted(outcomes)
    ended = run_trials(executor, [(name, TRIAL) for name in outcomes], None, REGISTRY, retries=2)
    records = {answer[0]["trial"]: answer[0] for _, answer in ended if answer is not None}
    assert [executor.submitted.count(name) for name in outcomes] == [2, 3, 2, 3, 1, 1, 1]
    statuses = ["ok", "crashed", "ok", "crashed", "timeout", "memory", "failed"]
    assert [records[name]["status"] for name in outcomes] == statuses
    assert records["cancelled"]["error"] == "the executor cancelled it, 3 times"
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


def test_a_trial_that_the_executor_lost_is_an_error_and_a_row(tiny, write_suite, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "run_trials", lambda *arguments: list(run_trials(*arguments))[1:])
    with pytest.warns(UserWarning, match="the executor returned nothing for 1 planned trial"):
        results = benchkit.run(write_suite(tiny), out=tmp_path / "runs", tracking=False, executor="inline")
    assert results.statuses == {"crashed": 1, "ok": 7}
    assert not results.ok
    assert len(Path(results.folder.parent, "trials.jsonl").read_text().splitlines()) == 8
