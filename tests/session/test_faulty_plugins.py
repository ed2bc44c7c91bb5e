"""Nothing of a method, a data set, a split, a preprocessing step or a metric runs in the command's own process."""

import json
import os
import subprocess
import sys

import pytest

FAULTS = """
import ctypes, os, signal, time
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from benchkit import Algorithm, Data, Dataset, Metric, PreprocessingStep, SplitMethod, hookimpl

def misbehave(kind):
    print("printed by", kind, flush=True)
    if kind == "raise":
        raise RuntimeError("raised on purpose")
    if kind == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(0.05)
    if kind == "exit":
        os._exit(3)
    if kind == "quit":
        raise SystemExit(0)
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "segv":
        ctypes.string_at(0)
    if kind == "memory":
        np.ones(2**30)

class Faulty(LogisticRegression):
    def __init__(self, kind="ok", C=1.0):
        super().__init__(C=C)
        self.kind = kind

    def fit(self, X, y):
        misbehave(self.kind)
        return super().fit(X, y)

class Touchy(LogisticRegression):
    def __init__(self, kind="ok", C=1.0):
        misbehave(kind)
        super().__init__(C=C)
        self.kind = kind

class Step(TransformerMixin, BaseEstimator):
    def __init__(self, kind="ok"):
        self.kind = kind

    def fit(self, X, y=None):
        misbehave(self.kind)
        self.fitted_ = True
        return self

    def transform(self, X):
        return X

def load(kind="ok", path="rows.txt", classes=2):
    misbehave(kind)
    X = np.random.default_rng(0).normal(size=(60, 4))
    return Data(X=X, y=np.arange(60) % 3 if classes == 3 else np.where(X[:, 0] > 0, 1, -1))

class Halves:
    def __init__(self, kind="ok"):
        self.kind = kind

    def __call__(self, context):
        misbehave(self.kind)
        return np.arange(0, 30), np.arange(30, 45), np.arange(45, 60)

@hookimpl
def benchkit_datasets():
    return [Dataset(name="rows", load=load, paths=lambda path="rows.txt", kind="ok", classes=2: [path])]

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="faulty", make=Faulty), Algorithm(name="touchy", make=Touchy)]

def wrong(context):
    return context.y != context.predictions

def faulty_metric(kind):
    def compute(context):
        misbehave(kind)
        return float(wrong(context).mean())

    def row_values(context):
        misbehave(kind)
        return wrong(context)

    right = lambda context: float(wrong(context).mean())
    return [
        Metric(name=f"{kind}-value", compute=compute, row_values=wrong, needs="labels"),
        Metric(name=f"{kind}-rows", compute=right, row_values=row_values, needs="labels"),
    ]

@hookimpl
def benchkit_metrics():
    return [metric for kind in ("ok", "raise", "quit", "hang", "exit") for metric in faulty_metric(kind)]

@hookimpl
def benchkit_splits():
    return [SplitMethod(name="halves", make=Halves)]

@hookimpl
def benchkit_preprocessing_steps():
    return [PreprocessingStep(name="step", make=Step)]
"""

KINDS = {
    "ok": "ok",
    "raise": "failed",
    "hang": "timeout",
    "exit": "crashed",
    "kill": "crashed",
    "segv": "crashed",
    "memory": "memory",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "faults.py").write_text(FAULTS)
    (tmp_path / "rows.txt").write_text("")
    return tmp_path


def benchkit(folder, *arguments, patience):
    """The command's exit code and output, of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchkit", *arguments, "--plugin", "faults.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=patience,
        env={**os.environ, "COLUMNS": "100"},
        check=False,
    )
    assert "printed by" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def rows_of(folder, name):
    lines = (folder / "runs" / name / "trials.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


LIMITS = ("--timeout", "8", "--memory", "3000", "--jobs", "2", "--no-tracking")


def test_methods_that_fail_in_every_way_end_as_rows_whatever_the_adversary_requires(folder):
    entries = "\n".join(f"  - {{name: faulty, label: {kind}, params: {{kind: {kind}}}}}" for kind in KINDS)
    (folder / "suite.yaml").write_text(
        f"""name: faults
datasets: [{{name: rows, path: rows.txt}}]
split: {{repetitions: 1, train: 30, test: 15}}
algorithms:
{entries}
adversaries: [{{name: greedy-delete, budgets: [0, 1]}}]
metrics: [error]
"""
    )
    code, said = benchkit(folder, "plan", "suite.yaml", patience=60)
    assert code == 0, said
    assert "14 trials" in said
    code, said = benchkit(folder, "run", "suite.yaml", *LIMITS, patience=240)
    assert code == 1, said
    rows = rows_of(folder, "faults")
    assert {(row["algorithm"], row["status"]) for row in rows} == set(KINDS.items())
    assert len({row["trial"] for row in rows}) == len(rows) == 14


@pytest.mark.parametrize("fault", ["hang", "exit"])
def test_a_data_set_a_split_or_a_step_that_does_not_return_costs_its_own_trials(folder, fault):
    further = f"""
  - {{name: rows, path: rows.txt, label: split, split: {{method: halves, params: {{kind: {fault}}}}}}}
  - {{name: rows, path: rows.txt, label: step, preprocess: [{{step: {fault}}}]}}"""
    (folder / "suite.yaml").write_text(
        f"""name: faults
datasets:
  - {{name: rows, path: rows.txt, label: fine}}
  - {{name: rows, path: rows.txt, label: data, params: {{kind: {fault}}}}}{further if fault == "exit" else ""}
split: {{repetitions: 1, train: 30, test: 15}}
algorithms: [faulty]
metrics: [error]
"""
    )
    code, said = benchkit(folder, "plan", "suite.yaml", patience=60)
    assert code == 0, said
    assert "data was not looked at" in " ".join(said.split())
    code, said = benchkit(folder, "run", "suite.yaml", *LIMITS, patience=120)
    assert code == 1, said
    ended = {row["dataset"]: row["status"] for row in rows_of(folder, "faults")}
    lost = {"hang": "timeout", "exit": "crashed"}[fault]
    assert ended == {"fine": "ok", "data": lost, **({"split": lost, "step": lost} if fault == "exit" else {})}


@pytest.mark.parametrize("fault", ["hang", "quit"])
def test_a_method_that_cannot_be_made_costs_its_own_trials(folder, fault):
    (folder / "suite.yaml").write_text(
        f"""name: faults
datasets: [{{name: rows, path: rows.txt, params: {{classes: 3}}}}]
split: {{repetitions: 1, train: 30, test: 15}}
algorithms: [faulty, {{name: touchy, params: {{kind: {fault}}}}}]
metrics: [error]
"""
    )
    code, said = benchkit(folder, "plan", "suite.yaml", patience=60)
    assert code == 0, said
    assert "touchy was not looked at" in " ".join(said.split())
    code, said = benchkit(folder, "run", "suite.yaml", *LIMITS, patience=120)
    assert code == 1, said
    ended = {row["algorithm"]: row["status"] for row in rows_of(folder, "faults")}
    assert ended == {"faulty": "ok", "touchy": {"hang": "timeout", "exit": "crashed", "quit": "failed"}[fault]}


def test_a_class_that_cannot_be_made_is_a_mistake_of_the_suite(folder):
    (folder / "own.py").write_text(FAULTS.replace('kind="ok", C=1.0', 'kind="exit", C=1.0'))
    (folder / "suite.yaml").write_text(
        """name: faults
datasets: [{name: rows, path: rows.txt}]
split: {repetitions: 1, train: 30, test: 15}
algorithms: [{estimator: own:Touchy}]
metrics: [error]
"""
    )
    code, said = benchkit(folder, "run", "suite.yaml", *LIMITS, patience=100)
    assert code == 2, said
    assert "own:Touchy" in said


@pytest.fixture(scope="module")
def measured(tmp_path_factory, call_benchkit):
    """A folder with a run whose metrics are to be computed afterwards."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "faults.py").write_text(FAULTS)
    (folder / "rows.txt").write_text("")
    (folder / "suite.yaml").write_text(
        """name: faults
datasets: [{name: rows, path: rows.txt}]
split: {repetitions: 3, train: 30, test: 15}
algorithms: [faulty, constant]
metrics: [error]
"""
    )
    done = call_benchkit(folder, "run", "suite.yaml", "--plugin", "faults.py", "--no-tracking", "--no-plots")
    assert done.returncode == 0, done.stderr
    return folder


def metrics_of(measured, call_benchkit, metrics):
    done = call_benchkit(
        measured, "report", "runs/faults", "--metrics", metrics, "--json", "--plugin", str(measured / "faults.py")
    )
    assert "Traceback" not in done.stderr
    answer = json.loads(done.stdout)
    return done, {name: [row["mean"] for row in answer["rows"] if row["metric"] == name] for name in metrics.split(",")}


def test_a_metric_of_a_plugin_is_what_its_own_would_be(measured, call_benchkit):
    done, means = metrics_of(measured, call_benchkit, "ok-value,ok-rows,error")
    assert done.returncode == 0, done.stderr
    assert means["ok-value"] == means["ok-rows"] == means["error"]


@pytest.mark.parametrize("part", ["value", "rows"])
@pytest.mark.parametrize("fault", ["quit", "raise"])
def test_a_metric_that_is_computed_afterwards_costs_its_own_column(measured, call_benchkit, fault, part):
    name = f"{fault}-{part}"
    done, means = metrics_of(measured, call_benchkit, f"error,{name}")
    assert len(means["error"]) == 2
    assert means[name] == ([] if part == "value" else means["error"])
    assert done.stderr.count(f"metric '{name}'") == 1
    assert done.returncode == 1
