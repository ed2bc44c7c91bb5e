"""Nothing of a method, a data set, a split, a preprocessing step or a metric runs in the command's own process."""

import json

import pytest

import benchkit
from benchkit import RequestError
from tests.conftest import PATIENCE

FAULTS = """
import os, signal, time
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from benchkit import Algorithm, Data, Dataset, Metric, PreprocessingStep, SplitMethod, hookimpl

KINDS = {
    "ok": "",
    "raise": "raise RuntimeError('raised on purpose')",
    "hang": "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)",
    "exit": "os._exit(3)",
    "quit": "raise SystemExit(0)",
}

def misbehave(kind):
    print("printed by", kind, flush=True)
    exec(KINDS[kind])

class Faulty(LogisticRegression):
    def __init__(self, kind="ok", C=1.0):
        super().__init__(C=C)
        self.kind = kind
    def fit(self, X, y):
        misbehave(self.kind)
        return super().fit(X, y)

class Touchy(Faulty):
    def __init__(self, kind="ok", C=1.0):
        misbehave(kind)
        super().__init__(kind, C)

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
    misbehave("ok")
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
    return [metric for kind in ("ok", "raise", "quit", "hang") for metric in faulty_metric(kind)]

@hookimpl
def benchkit_splits():
    return [SplitMethod(name="halves", make=Halves)]

@hookimpl
def benchkit_preprocessing_steps():
    return [PreprocessingStep(name="step", make=Step)]
"""

# Further ends of a fit: tests/execute/test_local.py.
ENDS = {"ok": "ok", "hang": "timeout"}
METHODS = "\n".join(f"  - {{name: faulty, label: {kind}, params: {{kind: {kind}}}, datasets: [fine]}}" for kind in ENDS)
SUITE = f"""name: faults
datasets:
  - {{name: rows, path: rows.txt, label: fine}}
  - {{name: rows, path: rows.txt, label: data-hang, params: {{kind: hang}}}}
  - {{name: rows, path: rows.txt, label: data-exit, params: {{kind: exit}}}}
  - {{name: rows, path: rows.txt, label: split-exit, split: {{method: halves, params: {{kind: exit}}}}}}
  - {{name: rows, path: rows.txt, label: step-exit, preprocess: [{{step: exit}}]}}
  - {{name: rows, path: rows.txt, label: three, params: {{classes: 3}}}}
split: {{repetitions: 1, train: 30, test: 15}}
algorithms:
{METHODS}
  - {{name: faulty, datasets: [data-exit, split-exit, step-exit, three]}}
  - {{name: faulty, label: data-hang, datasets: [data-hang]}}
  - {{name: touchy, label: touchy-hang, params: {{kind: hang}}, datasets: [three]}}
  - {{name: touchy, label: touchy-quit, params: {{kind: quit}}, datasets: [three]}}
adversaries: [{{name: random-delete, budgets: [1]}}]
metrics: [error]
"""
ONE = """name: faults
datasets: [{name: rows, path: rows.txt}]
split: {repetitions: 3, train: 30, test: 15}
algorithms: [ALGORITHMS]
metrics: [error]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    (folder / "faults.py").write_text(FAULTS)
    (folder / "own.py").write_text(FAULTS.replace('kind="ok", C=1.0', 'kind="exit", C=1.0'))
    (folder / "rows.txt").write_text("")
    return folder


LIMITS = ("--jobs", "2", "--no-tracking", "--no-plots")
HANGING = ("hang", "data-hang", "touchy-hang")  # they alone have few seconds
OTHERS = (*(ENDS.keys() - {"hang"}), "faulty", "touchy-quit")


def test_whatever_fails_in_whatever_way_ends_as_the_rows_that_need_it(folder, call_benchkit, monkeypatch, capfd):
    (folder / "suite.yaml").write_text(SUITE)
    monkeypatch.setattr("benchkit.check.data.SECONDS", 1.0)  # what making a method may take before the run
    # What hangs comes last: data that does not is known then, however slow the machine is.
    hanging = HANGING, 1, ("data-hang", "touchy-hang")
    for names, seconds, unseen in ((OTHERS, PATIENCE, ("data-exit", "touchy-quit")), hanging):
        monkeypatch.setattr("benchkit.check.data._SECONDS", float(seconds))
        only = ",".join(f"algorithm={name}" for name in names)
        options = ("--only", only, "--timeout", str(seconds), "--plugin", "faults.py", *LIMITS)
        done = call_benchkit(folder, "run", "suite.yaml", *options)
        printed = " ".join((done.stdout + done.stderr).split())
        assert done.returncode == 1, printed
        for text in (printed, *capfd.readouterr()):
            assert "printed by" not in text
            assert "Traceback" not in text
        for name in unseen:
            assert f"{name} was not looked at" in printed
    rows = [json.loads(line) for line in (folder / "runs" / "faults" / "trials.jsonl").read_text().splitlines()]
    assert len({row["trial"] for row in rows}) == len(rows) == len(ENDS) + 7
    assert {(row["algorithm"], row["status"]) for row in rows if row["dataset"] == "fine"} == set(ENDS.items())
    assert {(row["dataset"], row["algorithm"]): row["status"] for row in rows if row["dataset"] != "fine"} == {
        ("data-hang", "data-hang"): "timeout",
        **{(f"{part}-exit", "faulty"): "crashed" for part in ("data", "split", "step")},
        ("three", "faulty"): "ok",
        ("three", "touchy-hang"): "timeout",
        ("three", "touchy-quit"): "failed",
    }


def test_a_class_that_cannot_be_made_is_a_mistake_of_the_suite(folder, call_benchkit):
    (folder / "one.yaml").write_text(ONE.replace("ALGORITHMS", "{estimator: own:Touchy}"))
    done = call_benchkit(folder, "run", "one.yaml", "--plugin", "faults.py", *LIMITS)
    assert done.returncode == 2, done.stderr
    assert "own:Touchy" in done.stderr


def test_a_metric_that_is_computed_afterwards_costs_its_own_column_or_the_report(
    folder, call_benchkit, monkeypatch, ask_apart
):
    # What a file that asks here imported first would ask here.
    monkeypatch.setattr("benchkit.report.metrics_afterwards.call_all", ask_apart)
    (folder / "measured.yaml").write_text(ONE.replace("faults", "measured").replace("ALGORITHMS", "faulty, constant"))
    plugin = ["--plugin", str(folder / "faults.py")]
    done = call_benchkit(folder, "run", "measured.yaml", *plugin, "--no-tracking", "--no-plots")
    assert done.returncode == 0, done.stderr
    faulty = [f"{fault}-{part}" for fault in ("quit", "raise") for part in ("value", "rows")]
    metrics = ["error", "ok-value", "ok-rows", *faulty]
    done = call_benchkit(folder, "report", "runs/measured", "--metrics", ",".join(metrics), "--json", *plugin)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    rows = json.loads(done.stdout)["rows"]
    means = {name: [row["mean"] for row in rows if row["metric"] == name] for name in metrics}
    assert len(means["error"]) == 2
    assert means["ok-value"] == means["ok-rows"] == means["quit-rows"] == means["raise-rows"] == means["error"]
    assert means["quit-value"] == means["raise-value"] == []
    notes = json.loads(done.stdout)["notes"]
    for fault in ("quit", "raise"):
        assert done.stderr.count(f"metric '{fault}-rows'") == 1
        assert sum(note.startswith(f"{fault}-value has no value") for note in notes) == 1
    monkeypatch.setattr("benchkit.report.metrics_afterwards._SECONDS", 2.0)
    with pytest.raises(RequestError, match="hang-value: "):
        benchkit.load(folder / "runs" / "measured").with_metrics("hang-value", plugins=[plugin[1]])
