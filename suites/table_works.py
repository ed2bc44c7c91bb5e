"""Plugin of `bench-tables`: each fit does a piece of work on a large table in a fresh process, noting its cost."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from benchkit import Algorithm, Metric, hookimpl

_COLUMNS = 50
_BOOSTER = """
name: booster
datasets: [{{name: csv, path: table.csv, target: y}}]
split: {{repetitions: 1, train: {train}, test: {test}}}
algorithms: [{{label: booster, estimator: 'sklearn.ensemble:HistGradientBoostingClassifier'}}]
adversaries: [{{name: query-delete, params: {{fill: nan}}, budgets: [4]}}]
"""


def _write_table(rows, seed):
    import pandas as pd

    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, _COLUMNS))
    y = X @ rng.standard_normal(_COLUMNS) + rng.standard_normal(rows) > 0
    table = pd.DataFrame(X.round(4), columns=[f"x{j}" for j in range(_COLUMNS)])
    table.assign(y=np.where(y, "yes", "no")).to_csv("table.csv", index=False)


def _spent(*words):
    """CPU seconds of a command with its children, and the peak MB of its own process."""
    with open("said.txt", "w+") as said:
        process = subprocess.Popen([sys.executable, "-m", "benchkit", *words], stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if process.returncode:
            raise RuntimeError(f"benchkit {' '.join(words)} ended with {process.returncode}: {said.read()[-500:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def new_suite(rows, seed):
    """`benchkit new suite` on a table of so many rows."""
    _write_table(rows, seed)
    return _spent("new", "suite", "table.csv", "--target", "y")


def plan(rows, seed):
    """`benchkit plan` of the suite that `new suite` wrote, for the first time."""
    new_suite(rows, seed)
    return _spent("plan", "table.yaml")


def query_delete(rows, seed):
    """A trial of gradient boosting, of 10,000 training rows, under `query-delete` on so many test rows."""
    train = 10_000
    _write_table(train + rows, seed)
    Path("booster.yaml").write_text(_BOOSTER.format(train=train, test=rows))
    return _spent("run", "booster.yaml", "-j", "1", "--no-tracking", "--no-plots")


WORKS = {"new-suite": new_suite, "plan": plan, "query-delete": query_delete}


class TableWork(ClassifierMixin, BaseEstimator):
    """Learns nothing; a fresh process works on a table meanwhile, whose values differ with the seed.

    Parameters
    ----------
    work : str
        One of `WORKS`.
    size : int
        Rows.
    random_state : int

    Attributes
    ----------
    spent_ : tuple of float
        CPU seconds, and the peak MB of the process.
    """

    def __init__(self, work="plan", size=1000, random_state=0):
        self.work, self.size, self.random_state = work, size, random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                self.spent_ = WORKS[self.work](self.size, self.random_state)
            finally:
                os.chdir(before)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="table", make=TableWork, summary="Works on a large table in a fresh process.")]


@hookimpl
def benchkit_metrics():
    return [
        Metric(name="work-seconds", compute=lambda evaluation: evaluation.model.spent_[0], summary="CPU s of it."),
        Metric(name="work-megabytes", compute=lambda evaluation: evaluation.model.spent_[1], summary="Its peak MB."),
    ]
