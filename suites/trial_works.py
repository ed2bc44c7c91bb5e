"""Plugin of `bench-trials`: each fit runs many trials that learn nothing, noting what every step costs."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import yaml
from sklearn.base import BaseEstimator, ClassifierMixin

from benchkit import Algorithm, Metric, hookimpl

_LOADS = Path(__file__).with_name("engine_loads.py")
_STEPS = {  # what benchkit is asked, in this order
    "planning": ("plan", "many.yaml"),
    "run": ("run", "many.yaml", "-j", "1", "--no-tracking", "--no-plots"),
    "again": ("run", "many.yaml", "-j", "1", "--no-tracking", "--no-plots"),
    "report": ("report", "runs/many"),
}


def _write_suite(trials):
    """A suite of so many trials, a multiple of 1000. Labels differ in a parameter that changes nothing."""
    algorithms = [{"name": "load", "label": f"load-{number}", "params": {"number": number}} for number in range(10)]
    content = {
        "name": "many",
        "plugins": [str(_LOADS)],
        "datasets": ["breast"],
        "split": {"repetitions": trials // 100, "train": 60, "test": 60},
        "algorithms": algorithms,
        "adversaries": [{"name": "random-delete", "budgets": list(range(10))}],
    }
    Path("many.yaml").write_text(yaml.safe_dump(content))


def _spent(words):
    """CPU seconds of a command with its children, and the peak MB of its own process."""
    with open("said.txt", "w+") as said:
        process = subprocess.Popen([sys.executable, "-m", "benchkit", *words], stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if process.returncode:
            raise RuntimeError(f"benchkit {' '.join(words)} ended with {process.returncode}: {said.read()[-500:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class ManyTrials(ClassifierMixin, BaseEstimator):
    """Learns nothing; the engine runs many trials meanwhile.

    Parameters
    ----------
    trials : int
        A multiple of 1000.

    Attributes
    ----------
    spent_ : dict
        Of each step CPU seconds, and the peak MB of its process; MB of the journal.
    """

    def __init__(self, trials=1000):
        self.trials = trials

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        before, self.spent_ = os.getcwd(), {}
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                _write_suite(self.trials)
                for step, words in _STEPS.items():
                    self.spent_[f"{step}-seconds"], self.spent_[f"{step}-megabytes"] = _spent(words)
                self.spent_["journal-megabytes"] = Path("runs/many/trials.jsonl").stat().st_size / 2**20
            finally:
                os.chdir(before)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def _metric(name, summary):
    return Metric(name=name, compute=lambda evaluation: evaluation.model.spent_[name], summary=summary)


@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="many-trials", make=ManyTrials, summary="Has the engine run many trials.")]


@hookimpl
def benchkit_metrics():
    of_steps = [
        _metric(f"{step}-{unit}", f"{said} of `benchkit {' '.join(words)}`.")
        for step, words in _STEPS.items()
        for unit, said in (("seconds", "CPU s"), ("megabytes", "Peak MB"))
    ]
    return [*of_steps, _metric("journal-megabytes", "MB of trials.jsonl.")]
