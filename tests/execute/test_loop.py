"""Trials go in, each comes out as one record, whatever the executor does with it; the present process as one."""

from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import benchkit
from benchkit.errors import OverMemoryError, OverTimeError, WorkerDiedError
from benchkit.execute import loop
from benchkit.execute.loop import run_trials
from benchkit.execute.work import InlineExecutor
from tests.execute.conftest import doing

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


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_a_function_has_one_blas_thread_and_the_process_its_own_again():
    with threadpool_limits(2), InlineExecutor() as executor:
        before = blas_threads()
        assert 2 in before
        assert set(executor.submit(blas_threads, timeout=None).result()) == {1}
        assert blas_threads() == before
        assert isinstance(executor.submit(divmod, 1, 0, timeout=None).exception(), ZeroDivisionError)
        assert blas_threads() == before


def test_a_trial_that_cannot_begin_is_not_charged_with_the_fit_before(tiny, write_suite, folder, tmp_path):
    """It had the cost of the fit that the trial before it shared."""
    tiny["split"]["repetitions"] = 1
    slow = doing("slow", "end = time.process_time() + 0.05\nwhile time.process_time() < end: pass")
    suite = write_suite({**tiny, "algorithms": [slow, "broken"]})
    run = {"plugins": [folder / "plugin.py"], "out": tmp_path / "runs", "executor": "inline", "tracking": False}
    rows = benchkit.run(suite, **run).records
    assert [row["cpu_seconds"] for row in rows if row["algorithm"] == "broken"] == [0.0, 0.0]
    assert all(row["cpu_seconds"] >= 0.05 for row in rows if row["algorithm"] == "slow")
