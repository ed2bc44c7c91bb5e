"""A run that is killed at any instant goes on where it was; nothing is lost, nothing is run twice."""

import json
import os
import random
import subprocess
import sys
import time

import pytest

import benchkit
from benchkit.journal import JournalError, Store

# Each costs the start of a process; a patient machine may take more.
KILLS = int(os.environ.get("BENCHKIT_TEST_KILLS", "3"))

PLUGIN = """
import time
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Algorithm, hookimpl

class Drawn(ClassifierMixin, BaseEstimator):
    def __init__(self, random_state=0, depth=1):
        self.random_state, self.depth = random_state, depth
    def fit(self, X, y):
        time.sleep(0.03)
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.random.default_rng(self.random_state).choice(self.classes_, len(X))

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="drawn", make=Drawn)]
"""

RUN = "import sys, benchkit; benchkit.run(sys.argv[1], out=sys.argv[2], plugins=[sys.argv[3]], jobs=2, tracking=False)"


@pytest.fixture
def arguments(tiny, write_suite, write_plugin):
    tiny |= {"algorithms": ["drawn", {"name": "drawn", "label": "deeper", "params": {"depth": 2}}], "adversaries": []}
    tiny["split"] = {**tiny["split"], "repetitions": 20}
    return {"suite": write_suite(tiny), "plugins": [write_plugin(PLUGIN)], "tracking": False}


def table(results):
    return [(row["trial"], row["status"], row["metrics"], row["params"]) for row in results.records]


def count(journal):
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def test_killed_at_random_moments(arguments, tmp_path):
    seed = random.SystemRandom().randrange(10**6)
    print("seed", seed)
    draw = random.Random(seed)
    out = tmp_path / "killed"
    journal = out / "tiny" / "trials.jsonl"
    for _ in range(KILLS):
        enough = count(journal) + draw.randrange(0, 8)
        command = [sys.executable, "-c", RUN, arguments["suite"], str(out), str(arguments["plugins"][0])]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while count(journal) < enough and process.poll() is None:
            time.sleep(0.005)
        time.sleep(draw.uniform(0, 0.1))
        process.kill()
        process.wait()
        before = journal.read_bytes() if journal.exists() else b""
    resumed = benchkit.run(**arguments, out=out, executor="inline")
    assert journal.read_bytes().startswith(before)
    undisturbed = benchkit.run(**arguments, out=tmp_path / "undisturbed", executor="inline")
    assert table(resumed) == table(undisturbed)
    done = [json.loads(line)["trial"] for line in journal.read_text().splitlines() if _is_record(line)]
    assert len(done) == len(set(done)) == 40


def _is_record(line):
    try:
        return "trial" in json.loads(line)
    except ValueError:
        return False  # torn by a kill


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_ends_the_run_in_one_line_and_the_next_goes_on(arguments, tmp_path, monkeypatch):
    ready = Store.open

    def fill(store):
        ready(store)
        store._file.close()
        store._file = open("/dev/full", "a")  # noqa: SIM115

    with monkeypatch.context() as patch:
        patch.setattr(Store, "open", fill)
        with pytest.raises(JournalError, match="No space left"):
            benchkit.run(**arguments, out=tmp_path / "runs", executor="inline")
    assert benchkit.run(**arguments, out=tmp_path / "runs", executor="inline").statuses == {"ok": 40}


def test_two_runs_at_once_are_refused(arguments, tmp_path):
    store = Store(tmp_path / "runs", "tiny")
    store.open()
    try:
        with pytest.raises(JournalError, match="another benchkit run is writing here"):
            benchkit.run(**arguments, out=tmp_path / "runs", executor="inline")
    finally:
        store.close()
