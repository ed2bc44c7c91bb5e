"""Whatever becomes of a trial, it ends as a record, and the others go on."""

import time
from pathlib import Path

import pytest

import benchkit
from tests.conftest import PATIENCE

PLUGIN = """
import ctypes, os, signal, subprocess, sys, time
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Algorithm, hookimpl

class Fault(ClassifierMixin, BaseEstimator):
    def __init__(self, kind="none"):
        self.kind = kind
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.kind == "raise":
            raise RuntimeError("the solver\\nsays no")
        if self.kind == "sysexit":
            sys.exit(4)
        if self.kind == "interrupt":
            raise KeyboardInterrupt("not by the user")
        if self.kind == "mutate":
            X *= 0
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.kind == "segfault":
            ctypes.string_at(0)
        if self.kind == "memory":
            raise MemoryError("too much")
        if self.kind == "allocate":
            self.held_ = np.ones(50 * 2**30, dtype=np.uint8)
        if self.kind == "child-allocates":
            for _ in range(2):
                subprocess.Popen([sys.executable, "-c", "import time; x = b'x' * (400 << 20); time.sleep(3600)"])
            time.sleep(60)
        if self.kind == "print":
            for _ in range(100):
                print("x" * 2**20)
        if self.kind == "child":
            command = [sys.executable, "-c", "import time; time.sleep(3600)", FOLDER + " lives-on-child"]
            subprocess.Popen(command, start_new_session=True)
            subprocess.Popen(command)
        if self.kind == "unpicklable":
            self.lock_ = (number for number in range(3))
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[0])

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="fault", make=Fault)]
"""

EXPECTED = {
    "none": ("ok", None),
    "raise": ("failed", "the solver"),
    "kill": ("crashed", "SIGKILL"),
    "segfault": ("crashed", "SIGSEGV"),
    "sysexit": ("failed", "4"),
    "interrupt": ("failed", "not by the user"),
    "mutate": ("failed", "read-only"),
    "memory": ("memory", "too much"),
    "allocate": ("memory", "Unable to allocate 50.0 GiB"),
    "child-allocates": ("memory", "with its children, more than 600 MB"),
    "print": ("ok", None),
    "child": ("ok", None),
    "unpicklable": ("ok", None),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    (folder / "faults.py").write_text(f"FOLDER = {str(folder)!r}\n{PLUGIN}")
    entries = "\n".join(f"  - {{name: fault, label: {kind}, params: {{kind: {kind}}}}}" for kind in EXPECTED)
    suite = folder / "faults.yaml"
    suite.write_text(f"name: faults\ndatasets: [breast]\nalgorithms:\n{entries}\nplugins: [faults.py]\n")
    return benchkit.run(str(suite), out=folder / "runs", jobs=2, tracking=False, timeout=60, memory=600)


@pytest.mark.parametrize("kind", EXPECTED)
def test_every_fault_is_a_row_with_its_reason(results, kind):
    (row,) = [row for row in results.records if row["algorithm"] == kind]
    status, reason = EXPECTED[kind]
    assert row["status"] == status
    if reason is None:
        assert row["error"] is None
    else:
        assert reason in row["error"]
        assert "\n" not in row["error"]


def living_children(folder):
    """Command lines of children of trials of the run in a folder: another process may test the same on this machine."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"{folder} lives-on-child".encode() in command:
            yield command


def test_children_do_not_outlive_their_trial(results):
    folder = results.folder.parents[2]  # FOLDER / runs / SUITE / RUN
    assert (folder / "faults.py").exists()
    deadline = time.monotonic() + PATIENCE  # the kernel ends in its own time what was killed
    while list(living_children(folder)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert list(living_children(folder)) == []


def test_failures_are_grouped_and_decide_the_outcome(results):
    assert not results.ok
    (raised,) = [row["trial"] for row in results.records if row["algorithm"] == "raise"]
    reason = f"raise on breast: failed: RuntimeError: the solver; look with: benchkit debug {raised[:8]}"
    assert (1, reason) in results.problems()


def test_tracebacks_and_prints_are_kept_in_the_runs_folder(results):
    (row,) = [row for row in results.records if row["algorithm"] == "raise"]
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
