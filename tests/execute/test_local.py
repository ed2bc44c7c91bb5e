"""Whatever becomes of a trial, it ends as a record; what it does to its worker does not reach the next."""

import json
import os
import subprocess
import sys
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import benchkit
from benchkit.errors import OverMemoryError, OverTimeError, WorkerDiedError
from benchkit.execute import loop
from benchkit.execute.loop import run_trials
from benchkit.execute.work import InlineExecutor
from tests.conftest import PATIENCE, until
from tests.execute.conftest import doing

CHILD = "subprocess.Popen([sys.executable, '-c', {code!r}, {argument!r}], start_new_session={apart})"
HOLDING = CHILD.format(code="import time; x = b'x' * (200 << 20); time.sleep(3600)", argument="", apart=False)
LIVING = [CHILD.format(code="import time; time.sleep(3600)", argument="FOLDER", apart=apart) for apart in (True, False)]

# What a fit does, and the status and the reason of its row.
EXPECTED = {
    "none": ("", "ok", None),
    "raise": ("raise RuntimeError('the solver\\nsays no')", "failed", "the solver"),
    "kill": ("os.kill(os.getpid(), signal.SIGKILL)", "crashed", "SIGKILL"),
    "segfault": ("ctypes.string_at(0)", "crashed", "SIGSEGV"),
    "sysexit": ("sys.exit(4)", "failed", "4"),
    "interrupt": ("raise KeyboardInterrupt('not by the user')", "failed", "not by the user"),
    "mutate": ("X *= 0", "failed", "read-only"),
    "memory": ("raise MemoryError('too much')", "memory", "too much"),
    "allocate": ("self.held_ = np.ones(50 * 2**30, dtype=np.uint8)", "memory", "Unable to allocate 50.0 GiB"),
    "child-allocates": (f"{HOLDING}; {HOLDING}; time.sleep(3600)", "memory", "with its children, more than 450 MB"),
    "print": ("for _ in range(100): print('x' * 2**20)", "ok", None),
    "child": ("; ".join(LIVING), "ok", None),
    "unpicklable": ("self.lock_ = (number for number in range(3))", "ok", None),
}


@pytest.fixture(scope="module")
def results(folder):
    algorithms = [doing(kind, code.replace("FOLDER", str(folder))) for kind, (code, *_) in EXPECTED.items()]
    suite = {"name": "faults", "datasets": ["breast"], "algorithms": algorithms}
    options = {"plugins": [folder / "plugin.py"], "out": folder / "runs", "tracking": False}
    return benchkit.run(suite, jobs=2, timeout=PATIENCE, memory=450, **options)


@pytest.mark.parametrize("kind", EXPECTED)
def test_every_fault_is_a_row_with_its_reason(results, kind):
    (row,) = [row for row in results.records if row["algorithm"] == kind]
    _, status, reason = EXPECTED[kind]
    assert row["status"] == status
    assert (row["error"] is None) if reason is None else (reason in row["error"])
    assert "\n" not in (row["error"] or "")


def living_children(folder):
    """Command lines of children of the trials of the run in a folder."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if command.endswith(f"{folder}\0".encode()):
                yield command


def test_children_end_failures_are_grouped_and_time_and_memory_are_the_trials_own(results, folder):
    until(lambda: not list(living_children(folder)))  # the kernel ends in its own time what was killed
    assert not results.ok
    (row,) = [row for row in results.records if row["algorithm"] == "raise"]
    file = results.folder / "tracebacks" / f"{row['trial']}.txt"
    (told,) = [text for _, text in results.problems() if text.startswith("raise on breast: failed: RuntimeError")]
    assert "the solver (plugin.py:" in told
    assert told.endswith(f"traceback in {file}")
    assert "says no" in file.read_text()
    log = (results.folder / "workers.log").read_text()
    assert "x" * 1000 in log
    assert len(log) < 20 * 2**20  # 100 MB were printed
    assert "more was printed, and is left out" in log
    (row,) = [row for row in results.records if row["algorithm"] == "none"]
    assert 0 < row["cpu_seconds"] < 30
    assert 10 < row["peak_mb"] < 2000
    assert row["fit_seconds"] >= 0
    assert row["tune_seconds"] is None


REGISTRY = SimpleNamespace(algorithms={"svm": SimpleNamespace(environment=None, warm_up=None)})
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


def test_what_one_worker_compiles_others_leave_alone_while_there_is_more_to_do():
    compiles = {"lp": "kernels", "o2b": "kernels", "svm": None}
    methods = {name: SimpleNamespace(environment=None, warm_up=of) for name, of in compiles.items()}
    names = ["lp", "lp", "o2b", "svm", "svm"]
    trials = [(f"{name} {n}", SimpleNamespace(algorithm=SimpleNamespace(name=name))) for n, name in enumerate(names)]
    executor = Scripted({trial: [{"trial": trial, "status": "ok"}] for trial, _ in trials})
    assert len(list(run_trials(executor, trials, None, SimpleNamespace(algorithms=methods)))) == 5
    assert executor.submitted == ["lp 0", "svm 3", "svm 4", "lp 1", "o2b 2"]


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
    tiny["adversaries"] = [{"name": "random-delete", "budgets": [0, 2]}]
    slow = doing("slow", "end = time.process_time() + 0.05\nwhile time.process_time() < end: pass")
    suite = write_suite({**tiny, "split": {**tiny["split"], "repetitions": 1}, "algorithms": [slow, "broken"]})
    run = {"plugins": [folder / "plugin.py"], "out": tmp_path / "runs", "executor": "inline", "tracking": False}
    rows = benchkit.run(suite, **run).records
    assert [row["cpu_seconds"] for row in rows if row["algorithm"] == "broken"] == [0.0, 0.0]
    assert all(row["cpu_seconds"] >= 0.05 for row in rows if row["algorithm"] == "slow")


# What an attacker does, what its own row says, and of what its warning speaks.
ATTACKS = {
    "chdir": ("os.chdir('/')", "ok", "working directory"),
    "write": ("X.flags.writeable = True; X[:] = 0", "failed", None),
    "environ": ("os.environ['BENCHKIT_DATA'] = '/nowhere'", "ok", "environment"),
    "limits": ("threadpoolctl.threadpool_limits(2)", "ok", "BLAS threads"),
    "thread": ("threading.Thread(target=spin, daemon=True).start()", "ok", "threads"),
    "errors": ("np.seterr(all='ignore')", "ok", "numpy errors"),
    "keep": ("sys.held_by_an_attacker = np.ones(25 << 20)", "ok", "MB of memory"),
    "cycle": ("held = [np.ones(25 << 20)]; held.append(held); raise RuntimeError", "failed", None),
    "tmpdir": ("shutil.rmtree(tempfile.gettempdir()); os._exit(3)", "crashed", None),
    "fork": ("if os.fork() == 0: self.child_ = True", "ok", None),
    "fork-raise": ("if os.fork() == 0: raise RuntimeError('in the child')", "ok", None),
}


@pytest.fixture(scope="module")
def rows(folder):
    """Each attacker with innocents before and after, in one worker; started by a script, which needs no guard."""
    algorithms = [doing("first")]
    for position, (kind, (code, *_)) in enumerate(ATTACKS.items()):
        algorithms += [doing(kind, code), doing(f"after-{kind}", number=position + 1)]
    suite = {"name": "isolation", "datasets": ["breast"], "split": {"train": 100, "test": 100}}
    suite |= {"plugins": ["plugin.py"], "metrics": ["error", "drawn", "seen"], "algorithms": algorithms}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    (folder / "tmp").mkdir()
    script = folder / "script.py"
    script.write_text(
        "import benchkit, json\n"
        "results = benchkit.run('suite.yaml', out='runs', jobs=1, tracking=False)\n"
        "print(json.dumps([__file__, results.records]))\n"
    )
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    streams = {"capture_output": True, "text": True, "check": True}
    ended = subprocess.run([sys.executable, script], cwd=folder, env=environment, **streams)
    assert ended.stderr == ""
    assert list((folder / "tmp").iterdir()) == []  # a removed TMPDIR, and nothing left behind
    name, records = json.loads(ended.stdout)
    assert (name, len(records)) == (str(script), len(algorithms))
    return {row["algorithm"]: row for row in records}


@pytest.mark.parametrize("kind", ATTACKS)
def test_an_attacker_is_marked_and_those_after_it_are_not_touched(rows, kind):
    _, status, left = ATTACKS[kind]
    row, innocent = rows[kind], rows["first"]
    assert row["status"] == status
    told = row["warnings"].get("polluted", [])
    assert (left is None) == (told == [])
    assert left is None or any(left in text for text in told)
    after = rows[f"after-{kind}"]
    assert (after["status"], after["warnings"]) == ("ok", {})
    assert after["metrics"] == innocent["metrics"]  # the global generators too
    assert after["peak_mb"] < innocent["peak_mb"] + 60
    assert after["cpu_seconds"] < 1


@pytest.mark.parametrize("isolate", [False, True])
def test_a_process_for_each_trial(tiny, write_suite, folder, tmp_path, isolate):
    tiny |= {"algorithms": ["doing"], "adversaries": [], "metrics": ["pid"]}
    run = {"plugins": [folder / "plugin.py"], "out": tmp_path / "runs", "jobs": 1, "tracking": False}
    results = benchkit.run(write_suite(tiny), isolate=isolate, **run)
    assert len({row["metrics"]["pid"] for row in results.records}) == (len(results.records) if isolate else 1)
    assert not any(row["warnings"] for row in results.records)
