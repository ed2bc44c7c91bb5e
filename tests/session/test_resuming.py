"""A run that is killed at any instant goes on where it was; nothing is lost, nothing is run twice."""

import json
import multiprocessing
import os
import random
import time
from pathlib import Path

import pytest

import benchkit
from benchkit.cli.interface.console import mistake
from benchkit.errors import JournalError
from benchkit.journal.manifest import read_manifest
from benchkit.journal.store import Store

# How often a run is killed that has worker processes, each a few seconds' start, and one that has none.
KILLS = {"local": 2, "inline": 8}


@pytest.fixture
def arguments(tiny, write_suite, method):
    slow = {"name": "drawn", "params": {"seconds": 0.03}}
    tiny |= {"algorithms": [slow, {**slow, "label": "other"}], "adversaries": []}
    tiny["split"] = {**tiny["split"], "repetitions": 20}
    return {"suite": write_suite(tiny), "plugins": [method], "tracking": False}


def table(results):
    return [(row["trial"], row["status"], row["metrics"], row["params"]) for row in results.records]


def count(journal):
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def _run_to_be_killed(arguments, out, executor):
    benchkit.run(**arguments, out=out, executor=executor, jobs=2)


@pytest.mark.parametrize("executor", ["inline", "local"])
def test_killed_at_random_moments(arguments, tmp_path, here, executor):
    draw = random.Random(2026)  # the moments are others each time all the same: no machine is as fast twice
    out = tmp_path / "killed"
    journal = out / "tiny" / "trials.jsonl"
    for _ in range(KILLS[executor]):
        enough = count(journal) + draw.randrange(0, 8 if executor == "local" else 3)
        process = multiprocessing.get_context("fork").Process(target=_run_to_be_killed, args=(arguments, out, executor))
        process.start()
        while count(journal) < enough and process.is_alive():
            time.sleep(0.005)
        time.sleep(draw.uniform(0, 0.1))
        process.kill()
        process.join()
        before = journal.read_bytes() if journal.exists() else b""
    found = here("report", "killed/tiny", "--format", "json")
    assert found.returncode == 0, found.stderr
    assert {row["algorithm"] for row in json.loads(found.stdout)} <= {"drawn", "other"}
    resumed = benchkit.run(**arguments, out=out, executor="inline")
    assert journal.read_bytes().startswith(before)
    undisturbed = benchkit.run(**arguments, out=tmp_path / "undisturbed", executor="inline")
    assert table(resumed) == table(undisturbed)
    done = [row["trial"] for row in Store(out, "tiny").rows()]
    assert len(done) == len(set(done)) == 40


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_ends_the_run_in_one_line_and_the_next_goes_on(arguments, tmp_path, monkeypatch):
    ready = Store.open

    def fill(store):
        ready(store)
        store.journal = Path("/dev/full")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "open", fill)
        with pytest.raises(JournalError, match="No space left.*the same command") as lost:
            benchkit.run(**arguments, out=tmp_path / "runs", executor="inline")
    assert mistake(lost.value)[1] == 1
    (folder,) = Store(tmp_path / "runs", "tiny").runs()
    assert not read_manifest(folder)["complete"]
    assert benchkit.run(**arguments, out=tmp_path / "runs", executor="inline").statuses == {"ok": 40}
