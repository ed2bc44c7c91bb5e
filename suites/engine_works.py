"""Plugin of `bench-engine`: each fit has the engine do a piece of work in a fresh process, and notes what it took."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml
from sklearn.base import BaseEstimator, ClassifierMixin

from benchkit import Algorithm, Metric, hookimpl

_LOADS = Path(__file__).with_name("engine_loads.py")
_RUN = """
import json, sys
import benchkit
results = benchkit.run(sys.argv[1], **json.loads(sys.argv[2]), tracking="tracking" in sys.argv, plots=False)
finished = json.loads((results.folder / "finished.json").read_text())
print("REACHED", json.dumps({"seconds": results.seconds, "finished": finished, "statuses": results.statuses}))
"""


def _suite(name, params, n_labels=1, repetitions=1, budgets=(0,)):
    """A suite of ``n_labels`` x ``repetitions`` x ``budgets`` trials on a small table, written to this folder.

    Labels differ in a parameter that changes nothing, lest they share a fit.
    """
    content = {
        "name": name,
        "plugins": [str(_LOADS)],
        "datasets": ["breast"],
        "split": {"repetitions": repetitions, "train": 60, "test": 60},
        "algorithms": [
            {"name": "load", "label": f"load-{number}", "params": {**params, "number": number}}
            for number in range(n_labels)
        ],
        "adversaries": [{"name": "random-delete", "budgets": list(budgets)}],
    }
    Path(f"{name}.yaml").write_text(yaml.safe_dump(content))
    return f"{name}.yaml"


def _command(*arguments, allowed=(0,)):
    """A process's wall seconds, peak MB, output and errors."""
    environment = {name: value for name, value in os.environ.items() if name != "MLFLOW_TRACKING_URI"}
    with open("out.txt", "w+") as out, open("err.txt", "w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, *arguments], stdout=out, stderr=err, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = [file.seek(0) or file.read() for file in (out, err)]
    if process.returncode not in allowed:
        raise RuntimeError(f"{' '.join(arguments[:4])} ended with {process.returncode}: {texts[1][-500:]}")
    return seconds, usage.ru_maxrss / 1024, *texts


def _run(suite, *words, **options):
    """Seconds, times of ends and statuses of a run in a fresh process."""
    _, _, out, _ = _command("-c", _RUN, suite, json.dumps(options), *words)
    return json.loads(out.rpartition("REACHED")[2])


def trial(words=("tracking",), **options):
    """Milliseconds a trial of 1000, workers' start included."""
    suite = _suite("noop", {}, n_labels=10, repetitions=10, budgets=range(10))
    return _run(suite, *words, jobs=2, **options)["seconds"]


def rerun():
    """Seconds of the command on a finished suite of 1000 trials, less what its imports take."""
    suite = _suite("noop", {}, n_labels=10, repetitions=10, budgets=range(10))
    _command("-m", "benchkit", "run", suite, "--no-plots")
    seconds, _, _, errors = _command("-X", "importtime", "-m", "benchkit", "run", suite, "--no-plots")
    lines = [line.split("|")[0].partition(":")[2] for line in errors.splitlines() if line.startswith("import time:")]
    return seconds - sum(int(text) for text in lines if text.strip().isdigit()) / 1e6


def planning():
    """Seconds and MB of planning 100,000 trials."""
    suite = _suite("large", {}, n_labels=10, repetitions=1000, budgets=range(10))
    return _command("-m", "benchkit", "plan", suite)[:2]


def deadline():
    """Most seconds that a trial lived beyond its timeout of 1 s; the next one's start included."""
    found = _run(_suite("stuck", {"sleep": 60}, n_labels=8), jobs=1, timeout=1)
    if found["statuses"] != {"timeout": 8}:
        raise RuntimeError(f"expected 8 timeouts, found {found['statuses']}")
    return float(np.diff(found["finished"]).max()) - 1.0


def speedup():
    """How much faster two workers are than one, on 40 trials of 1 s of CPU."""
    suite = _suite("busy", {"cpu": 1.0}, n_labels=40)
    one, two = (_run(suite, jobs=jobs, out=f"runs-{jobs}")["seconds"] for jobs in (1, 2))
    return one / two


def dask_trial():
    """Milliseconds a trial of 500 on a local cluster of two, after the first."""
    suite = _suite("noop", {}, n_labels=5, repetitions=10, budgets=range(10))
    finished = _run(suite, jobs=2, executor="dask")["finished"]
    return 1000 * (finished[-1] - finished[0]) / (len(finished) - 1)


WORKS = {
    "trial": trial,
    "rerun": rerun,
    "planning": planning,
    "deadline": deadline,
    "speedup": speedup,
    "dask-trial": dask_trial,
}


class EngineWork(ClassifierMixin, BaseEstimator):
    """Learns nothing; the engine does a piece of work meanwhile.

    Parameters
    ----------
    work : str
        One of `WORKS`.

    Attributes
    ----------
    reached_ : float
        What the work took, in its own unit.
    megabytes_ : float
        Peak memory of its process, where that is of interest.
    """

    def __init__(self, work="trial"):
        self.work = work

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                reached = WORKS[self.work]()
            finally:
                os.chdir(before)
        self.reached_, self.megabytes_ = reached if isinstance(reached, tuple) else (reached, np.nan)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="engine", make=EngineWork, summary="Has the engine do a piece of work.")]


@hookimpl
def benchkit_metrics():
    return [
        Metric(name="reached", compute=lambda evaluation: evaluation.model.reached_, summary="What the work took."),
        Metric(name="megabytes", compute=lambda evaluation: evaluation.model.megabytes_, summary="Its peak memory."),
    ]
