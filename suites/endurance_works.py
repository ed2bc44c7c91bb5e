"""Plugin of `bench-endurance`: each fit has the engine do something for long, in fresh processes, and counts."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import yaml
from sklearn.base import BaseEstimator, ClassifierMixin

from benchkit import Algorithm, Metric, hookimpl

_BUSY = 3  # processes that do nothing but take time from the others
_STOPPED, _GOING = 0.02, 0.05  # seconds at most
_LOADS = Path(__file__).with_name("engine_loads.py")
_RUN = "import benchkit, sys; benchkit.run(sys.argv[1], jobs=2, tracking=False, plots=False)"
_LOOK = """
import time
import numpy, scipy.stats, sklearn.linear_model, sklearn.metrics, sklearn.svm
from benchkit.execute.surroundings import Surroundings
for times in (10, 2000):  # the first are dearer
    start = time.perf_counter()
    for _ in range(times):
        surroundings = Surroundings(())
        surroundings.collect_garbage()
        assert surroundings.changes() == []
print("REACHED", 1000 * (time.perf_counter() - start) / times)
"""


def rows(trials):
    """Rows that lack or are there twice after a run whose workers are stopped and go on; the run's MB."""
    content = {
        "name": "endure",
        "plugins": [str(_LOADS)],
        "datasets": ["breast"],
        "split": {"repetitions": trials // 200, "train": 60, "test": 60},
        # Labels differ in a parameter that changes nothing, lest they share a fit.
        "algorithms": [{"name": "load", "label": f"load-{n}", "params": {"number": n}} for n in range(20)],
        "adversaries": [{"name": "random-delete", "budgets": list(range(10))}],
    }
    Path("endure.yaml").write_text(yaml.safe_dump(content))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(_BUSY)]
    try:
        run = subprocess.Popen([sys.executable, "-c", _RUN, "endure.yaml"])
        megabytes = _disturb(run)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    written = [json.loads(line)["trial"] for line in Path("runs/endure/trials.jsonl").read_text().splitlines()]
    return float(trials - len(set(written)) + len(written) - len(set(written))), megabytes


def _disturb(run):
    """Stop some process of a run for a moment, and again, until the run ends; its peak MB."""
    draw = random.Random(0)
    while not (ended := os.wait4(run.pid, os.WNOHANG))[0]:
        pid = draw.choice([*_descendants(run.pid), 0])
        for number, seconds in ((signal.SIGSTOP, _STOPPED), (signal.SIGCONT, _GOING)):
            with suppress(ProcessLookupError):
                if pid:
                    os.kill(pid, number)
            time.sleep(draw.uniform(0, seconds))
    run.returncode = os.waitstatus_to_exitcode(ended[1])
    if run.returncode:
        raise RuntimeError(f"the run ended with {run.returncode}")
    return ended[2].ru_maxrss / 1024


def _descendants(pid):
    found, waiting = set(), [pid]
    while waiting:
        for thread in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with suppress(OSError):
                children = set(map(int, thread.read_text().split()))
                waiting += children - found
                found |= children
    return sorted(found)


def look(trials):
    """Milliseconds of what is looked at between two trials, in a process that has scikit-learn."""
    done = subprocess.run([sys.executable, "-c", _LOOK], capture_output=True, text=True, check=True)
    return float(done.stdout.rpartition("REACHED")[2]), np.nan


WORKS = {"rows": rows, "look": look}


class EnduranceWork(ClassifierMixin, BaseEstimator):
    """Learns nothing; the engine endures something meanwhile.

    Parameters
    ----------
    work : str
        One of `WORKS`.
    trials : int
        A multiple of 200.

    Attributes
    ----------
    reached_ : float
        What was counted.
    megabytes_ : float
        Peak memory of the run's process, where there is one.
    """

    def __init__(self, work="rows", trials=200_000):
        self.work, self.trials = work, trials

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                self.reached_, self.megabytes_ = WORKS[self.work](self.trials)
            finally:
                os.chdir(before)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="endurance", make=EnduranceWork, summary="Has the engine endure something.")]


@hookimpl
def benchkit_metrics():
    return [
        Metric(name="reached", compute=lambda evaluation: evaluation.model.reached_, summary="What was counted."),
        Metric(name="megabytes", compute=lambda evaluation: evaluation.model.megabytes_, summary="Peak memory."),
    ]
