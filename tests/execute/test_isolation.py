"""What one trial does to its worker does not reach the next."""

import json
import os
import subprocess
import sys

import pytest

import benchkit

PLUGIN = """
import os, random, shutil, sys, tempfile, threading
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Algorithm, hookimpl

def spin():
    while True:
        pass

class Attacker(ClassifierMixin, BaseEstimator):
    def __init__(self, kind="none", number=0):
        self.kind, self.number = kind, number
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.kind == "chdir":
            os.chdir("/")
        if self.kind == "write":
            X.flags.writeable = True
            X[:] = 0
        if self.kind == "environ":
            os.environ["BENCHKIT_DATA"] = "/nowhere"
        if self.kind == "errors":
            np.seterr(all="ignore")
        if self.kind == "thread":
            threading.Thread(target=spin, daemon=True).start()
        if self.kind == "keep":
            sys.held_by_an_attacker = np.ones(25 << 20)
        if self.kind == "cycle":
            held = [np.ones(25 << 20)]
            held.append(held)
            raise RuntimeError("holds 200 MB in a cycle")
        if self.kind == "tmpdir":
            shutil.rmtree(tempfile.gettempdir())
            os._exit(3)
        if self.kind == "fork" and os.fork() == 0:
            self.child_ = True
        if self.kind == "fork-raise" and os.fork() == 0:
            raise RuntimeError("in the child")
        self.random_ = np.random.random() + random.random()
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[0])

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="attacker", make=Attacker)]

@hookimpl
def benchkit_metrics():
    from benchkit import Metric
    return [
        Metric(name="drawn", compute=lambda e: e.model.random_ + np.random.random()),
        Metric(name="pid", compute=lambda e: os.getpid()),
        Metric(name="seen", compute=lambda e: float(e.X_train.sum() + e.X.sum())),
    ]
"""

# What the attacker's own row says, and of what its warning speaks.
ATTACKS = {
    "chdir": ("ok", "working directory"),
    "write": ("failed", None),
    "environ": ("ok", "environment"),
    "thread": ("ok", "threads"),
    "errors": ("ok", "numpy errors"),
    "keep": ("ok", "MB of memory"),
    "cycle": ("failed", None),
    "tmpdir": ("crashed", None),
    "fork": ("ok", None),
    "fork-raise": ("ok", None),
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Each attacker with innocents before and after, in one worker; started by a script, which needs no guard."""
    folder = tmp_path_factory.mktemp("isolation")
    (folder / "plugin.py").write_text(PLUGIN)
    algorithms = [{"name": "attacker", "label": "first"}]
    for position, kind in enumerate(ATTACKS):
        algorithms.append({"name": "attacker", "label": kind, "params": {"kind": kind}})
        algorithms.append({"name": "attacker", "label": f"after-{kind}", "params": {"number": position + 1}})
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
    ended = subprocess.run(
        [sys.executable, script],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr == ""
    assert list((folder / "tmp").iterdir()) == []  # a removed TMPDIR, and nothing left behind
    name, records = json.loads(ended.stdout)
    assert name == str(script)
    assert len(records) == len(algorithms)
    return {row["algorithm"]: row for row in records}


@pytest.mark.parametrize("kind", ATTACKS)
def test_an_attacker_is_marked_and_those_after_it_are_not_touched(rows, kind):
    status, left = ATTACKS[kind]
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
def test_a_process_for_each_trial(tiny, write_suite, write_plugin, tmp_path, isolate):
    tiny |= {"algorithms": ["attacker"], "adversaries": [], "metrics": ["pid"]}
    run = {"plugins": [write_plugin(PLUGIN)], "out": tmp_path / "runs", "jobs": 1, "tracking": False}
    results = benchkit.run(write_suite(tiny), isolate=isolate, **run)
    processes = {row["metrics"]["pid"] for row in results.records}
    assert len(processes) == (len(results.records) if isolate else 1)
    assert not any(row["warnings"] for row in results.records)
