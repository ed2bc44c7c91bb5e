"""Whatever becomes of a trial, it ends as a record, and the others go on."""

from contextlib import suppress
from pathlib import Path

import pytest

import benchkit
from tests.conftest import PATIENCE, until
from tests.execute.conftest import doing

CHILD = "subprocess.Popen([sys.executable, '-c', {code!r}, {argument!r}], start_new_session={apart})"
HOLDING = CHILD.format(code="import time; x = b'x' * (400 << 20); time.sleep(3600)", argument="", apart=False)
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
    "child-allocates": (f"{HOLDING}; {HOLDING}; time.sleep(3600)", "memory", "with its children, more than 600 MB"),
    "print": ("for _ in range(100): print('x' * 2**20)", "ok", None),
    "child": ("; ".join(LIVING), "ok", None),
    "unpicklable": ("self.lock_ = (number for number in range(3))", "ok", None),
}


@pytest.fixture(scope="module")
def results(folder):
    algorithms = [doing(kind, code.replace("FOLDER", str(folder))) for kind, (code, *_) in EXPECTED.items()]
    suite = {"name": "faults", "datasets": ["breast"], "algorithms": algorithms}
    options = {"plugins": [folder / "plugin.py"], "out": folder / "runs", "tracking": False}
    return benchkit.run(suite, jobs=2, timeout=PATIENCE, memory=600, **options)


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


def test_children_do_not_outlive_their_trial(results, folder):
    until(lambda: not list(living_children(folder)))  # the kernel ends in its own time what was killed


def test_failures_are_grouped_and_tracebacks_and_prints_are_kept_in_the_runs_folder(results):
    assert not results.ok
    (row,) = [row for row in results.records if row["algorithm"] == "raise"]
    reason = f"raise on breast: failed: RuntimeError: the solver; traceback in tracebacks/{row['trial']}.txt"
    assert (1, reason) in results.problems()
    assert "says no" in (results.folder / "tracebacks" / f"{row['trial']}.txt").read_text()
    log = (results.folder / "workers.log").read_text()
    assert "x" * 1000 in log
    assert len(log) < 20 * 2**20  # 100 MB were printed
    assert "more was printed, and is left out" in log


def test_time_and_memory_are_the_trials_own(results):
    (row,) = [row for row in results.records if row["algorithm"] == "none"]
    assert 0 < row["cpu_seconds"] < 30
    assert 10 < row["peak_mb"] < 2000
    assert row["fit_seconds"] >= 0
    assert row["tune_seconds"] is None
