"""Plugin of `bench-engine`, `-commands`, `-endurance`: each fit has the engine do a piece of work, noting its cost."""

import json
import os
import random
import resource
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

_LOADS = Path(__file__).with_name("engine_loads.py")
_RUN = """
import json, sys
import benchkit
results = benchkit.run(sys.argv[1], **json.loads(sys.argv[2]), tracking="tracking" in sys.argv, plots=False)
finished = json.loads((results.folder / "finished.json").read_text())
print("REACHED", json.dumps({"seconds": results.seconds, "finished": finished, "statuses": results.statuses}))
"""

_BUSY = 3  # processes that do nothing but take time from the others
_STOPPED, _GOING = 0.02, 0.05  # seconds at most
_LOOK = """
import gc, time
import numpy, scipy.stats, sklearn.linear_model, sklearn.metrics, sklearn.svm
from benchkit.execute.work import Surroundings
gc.collect()
gc.freeze()  # as a worker does with what it has before its first trial
for times in (10, 2000):  # the first are dearer
    start = time.perf_counter()
    for _ in range(times):
        surroundings = Surroundings()
        assert surroundings.changes() == []
print("REACHED", 1000 * (time.perf_counter() - start) / times)
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


def _command(*arguments, allowed=(0,), environment=None):
    """A process's wall seconds, peak MB, output and errors."""
    told = {name: value for name, value in os.environ.items() if name != "MLFLOW_TRACKING_URI"} | (environment or {})
    with open("out.txt", "w+") as out, open("err.txt", "w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, *arguments], stdout=out, stderr=err, env=told)
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


def dask_share(trials):
    """Of the time of trials of 0.5 s on a local cluster of eight, the part that they take; from the eighth trial on.

    They sleep, so that fewer processors than eight do; and each is fitted, as no two share a fit.
    """
    suite = _suite("asleep", {"sleep": 0.5}, n_labels=8, repetitions=trials // 8)
    finished = _run(suite, jobs=8, executor="dask")["finished"]
    return (len(finished) - 8) * 0.5 / 8 / (finished[-1] - finished[7])


def rows_astray(trials):
    """Rows that lack or are there twice after a run whose workers are stopped and go on; the run's MB."""
    suite = _suite("endure", {}, n_labels=20, repetitions=trials // 200, budgets=range(10))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(_BUSY)]
    try:
        run = subprocess.Popen([sys.executable, "-c", _RUN, suite, json.dumps({"jobs": 2})], stdout=subprocess.DEVNULL)
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


def look():
    """Milliseconds of what is looked at between two trials, in a process that has scikit-learn."""
    done = subprocess.run([sys.executable, "-c", _LOOK], capture_output=True, text=True, check=True)
    return float(done.stdout.rpartition("REACHED")[2])


def command(name):
    """CPU seconds of a command in a fresh process, its children included: the median of 5 after a first."""
    code, *words = {
        "import": ("import benchkit",),
        "load-answer": ("import benchkit; print(benchkit.load('runs/quickstart').answer())",),
        "completion": ("from benchkit.cli.main import main; main()",),
        "first-plan": ("from benchkit.cli.main import main; main()", "plan", "quickstart"),
    }.get(name, ("from benchkit.cli.main import main; main()", *name.split()))
    if "quickstart" in name or name == "load-answer":
        _command("-m", "benchkit", "run", "quickstart")
    if name == "first-plan":  # what it tries of methods is kept; each time it takes five seconds for that at most
        for _ in range(3):
            _command("-m", "benchkit", "plan", "quickstart")
    asked = {"COMP_WORDS": "benchkit run qu", "COMP_CWORD": "2", "_BENCHKIT_COMPLETE": "complete_bash"}
    spent = []
    for _ in range(6):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _command("-c", code, *words, environment=asked if name == "completion" else {})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return float(np.median(spent[1:]))


WORKS = {
    "command": command,
    "trial": trial,
    "rerun": rerun,
    "planning": planning,
    "deadline": deadline,
    "speedup": speedup,
    "dask-trial": dask_trial,
    "dask-share": dask_share,
    "rows-astray": rows_astray,
    "look": look,
}


class EngineWork(ClassifierMixin, BaseEstimator):
    """Learns nothing; the engine does a piece of work meanwhile.

    Parameters
    ----------
    work : str
        One of `WORKS`.
    trials : int or None
        For works of any number of them: a multiple of 200.
    name : str or None
        The command, for the work of that name.

    Attributes
    ----------
    reached_ : float
        What the work took, in its own unit.
    megabytes_ : float
        Peak memory of its process, where that is of interest.
    """

    def __init__(self, work="trial", trials=None, name=None):
        self.work, self.trials, self.name = work, trials, name

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                reached = WORKS[self.work](*(given for given in (self.trials, self.name) if given is not None))
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
