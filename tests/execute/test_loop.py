"""Trials go in, each comes out as one record, whatever becomes of its process."""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from benchkit.execute import loop
from benchkit.execute.executor import OverMemoryError, OverTimeError, Usage, WorkerDiedError
from benchkit.execute.loop import Loop
from benchkit.plugin.guard import failures


class Scripted:
    """An executor that answers at once: the outcomes of each trial are listed in advance."""

    capacity = 1

    def __init__(self, outcomes):
        self.outcomes = {trial: list(each) for trial, each in outcomes.items()}
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


@pytest.fixture(autouse=True)
def _brief_records(monkeypatch):
    """A record of a trial that is only a name."""

    def record(trial, trial_id, status, *, error, outcome=None, reason=None):
        return {"trial": trial_id, "status": status, "error": reason or str(error), **(outcome or {})}

    monkeypatch.setattr(loop, "record", record)


def run(outcomes, **options):
    executor = Scripted(outcomes)
    trials = [(name, SimpleNamespace(name=name)) for name in outcomes]
    results = [result for result in Loop(executor, None, **options).run(trials) if result is not None]
    return executor, {record["trial"]: record for record, _ in results}


def test_every_trial_is_one_record():
    ok = {str(number): [{"trial": str(number), "status": "ok"}] for number in range(20)}
    executor, records = run(ok)
    assert set(records) == set(ok)
    assert sorted(executor.submitted) == sorted(ok)


@pytest.mark.parametrize(
    ("error", "status"),
    [(OverTimeError, "timeout"), (OverMemoryError, "memory"), (WorkerDiedError, "crashed")],
)
def test_how_a_trial_ended_and_what_it_used(error, status):
    _, records = run({"a": [error("why", Usage(cpu_seconds=2.0, peak_mb=30.0))]})
    assert records["a"]["status"] == status
    assert (records["a"]["cpu_seconds"], records["a"]["peak_mb"]) == (2.0, 30.0)
    assert records["a"]["error"] == "why"


def test_an_executor_from_which_nothing_comes_back_is_named_once(monkeypatch, capsys):
    monkeypatch.setattr("benchkit.plugin.guard.SECONDS_UNTIL_NAMED", 0.7)
    executor = SimpleNamespace(capacity=1, submit=lambda *args, timeout: Future())
    trial = ("a", SimpleNamespace(name="a"))
    with failures():
        for foreign in (True, False):
            running = Loop(executor, None, who="plugin 'mine': executor 'here'", foreign=foreign).run([trial])
            assert [next(running) for _ in range(5)] == [None] * 5
    (line,) = capsys.readouterr().err.splitlines()
    assert "plugin 'mine': executor 'here'" in line


def test_an_error_of_the_executor_is_a_failed_trial():
    _, records = run({"a": [TypeError("cannot pickle")]})
    assert (records["a"]["status"], records["a"]["error"]) == ("failed", "cannot pickle")


def test_only_a_death_is_repeated_and_only_so_often():
    dies = WorkerDiedError("killed", Usage())
    outcomes = {
        "recovers": [dies, {"trial": "recovers", "status": "ok"}],
        "dies": [dies, dies, dies],
        "slow": [OverTimeError("slow", Usage()), {"trial": "slow", "status": "ok"}],
    }
    executor, records = run(outcomes, retries=2)
    assert {name: executor.submitted.count(name) for name in outcomes} == {"recovers": 2, "dies": 3, "slow": 1}
    assert {name: record["status"] for name, record in records.items()} == {
        "recovers": "ok",
        "dies": "crashed",
        "slow": "timeout",
    }
    assert records["dies"]["error"] == "killed, 3 times"


def test_no_more_trials_are_handed_over_than_a_stop_could_undo():
    """Trials are taken from the plan only as far as there is room for them."""
    taken = []

    def trials():
        for number in range(100):
            taken.append(number)
            yield str(number), SimpleNamespace()

    executor = Scripted({str(number): [{"trial": str(number)}] for number in range(100)})
    next(Loop(executor, None).run(trials()))
    assert len(taken) == executor.capacity * 8
