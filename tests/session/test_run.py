"""Whole runs: results, resuming, selection, how long it takes, and Ctrl-C or SIGTERM, also where code swallows them."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import benchkit
from benchkit.cli.interface.console import mistake
from benchkit.errors import JournalError
from benchkit.journal.manifest import read_manifest
from benchkit.journal.store import Store
from benchkit.session.listeners import CountingProgress, expected_seconds
from benchkit.session.loop import interruptible
from benchkit.session.plan import Request, plan_suite, select
from tests.conftest import PATIENCE, until


def test_results_files_and_a_second_run_that_runs_what_was_lost(run, tmp_path):
    first = run()
    table = first.to_pandas()
    assert (len(table), set(table["status"])) == (8, {"ok"})
    assert table["error"].between(0, 1).all()
    assert table["reason"].isna().all()
    points = first.points()
    assert [point.n for point in points] == [2] * 4
    svm = {point.axis_value: point.mean for point in points if point.algorithm == "svm"}
    assert svm[0.0] < svm[2.0]
    assert (first.folder / "points.csv").read_text().startswith("dataset,dataset_params,")
    assert all((first.folder / name).exists() for name in ("tables.md", "report.html", "records.parquet"))
    assert not (first.folder / "plots").exists()
    again = run()
    assert (again.ran, again.reused) == (0, 8)
    journal = tmp_path / "runs" / "tiny" / "trials.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    lost = [json.loads(line)["trial"] for line in lines[-3:]]
    journal.write_text("".join(lines[:-3]) + lines[-3][:40])
    third = run()
    assert (third.ran, third.reused) == (3, 5)
    assert [json.loads(line)["trial"] for line in journal.read_text().splitlines()[-3:]] == lost
    assert [point.mean for point in third.points()] == [point.mean for point in points]


@pytest.mark.parametrize("own_adversaries", [True, False])
def test_what_joins_changes_no_claim_of_the_suite(tiny, run, write_suite, own_adversaries):
    tiny["split"]["repetitions"] = 5
    form = {"claim": "as good as always one answer", "alike": ["svm", "constant"]}
    tiny["expect"] = [{**form, "tolerance": 0.5}, {**form, "on_average": "all"}]
    if not own_adversaries:
        del tiny["adversaries"]
    alone, joined = run(), run(add=["random-delete", "digits"])
    assert {(row["dataset"], row["adversary"]) for row in joined.rows} > {
        (row["dataset"], row["adversary"]) for row in alone.rows
    }
    verdicts = [
        [(verdict.outcome, verdict.evidence, verdict.points) for verdict in results.verdicts()]
        for results in (alone, joined)
    ]
    assert verdicts[0] == verdicts[1]
    again = benchkit.run(str(joined.folder / "suite.yaml"), out=joined.folder.parents[1], tracking=False)
    assert again.reused == joined.statuses["ok"]  # its file has the same trials


def test_workers_and_inline_agree_and_fresh_only_and_settings_choose(run, tmp_path):
    inline, workers = run(), run(out=tmp_path / "other", executor="local", jobs=2)
    assert [(r["trial"], r["metrics"]) for r in workers.records] == [(r["trial"], r["metrics"]) for r in inline.records]
    run()
    (kept, *_) = (tmp_path / "runs" / "tiny" / "fits").iterdir()
    before = kept.stat().st_mtime_ns
    assert run(fresh=True).ran == 8
    assert kept.stat().st_mtime_ns > before
    assert run(only={"algorithm": "svm"}).reused == 4
    assert run(only={"repetition": 0, "budget": [0, 2.0]}).manifest["only"] == {
        "repetition": ["0"],
        "budget": ["0", "2.0"],
    }
    assert run(settings={"split.repetitions": 3}).ran == 4


def test_only_selects_by_field_and_names_what_is_unknown(tiny, write_suite):
    def selected(**only):
        return plan_suite(Request(write_suite(tiny), only=only)).trials

    assert len(selected(algorithm="svm", budget="2")) == 2
    both = selected(algorithm=["svm", "constant"], budget=["0"])
    assert {(trial.algorithm.label, trial.axis_value) for trial in both.values()} == {("svm", 0), ("constant", 0)}
    assert list(selected(trial=next(iter(both))[:12])) == [next(iter(both))]
    named = list(zip(("12374e5892869548", "74e7496375723489"), both.values(), strict=False))
    assert select(named, {"trial": ["12374e5892869548"]}) == named[:1]  # though as numbers both are infinite
    with pytest.raises(benchkit.SuiteError, match="algorithm=lp selects no trial"):
        selected(algorithm=["svm", "lp"])


def test_what_failed_runs_again_and_a_dataset_that_is_not_here_is_skipped(run, tiny, monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHKIT_DATA", str(tmp_path))
    tiny |= {"datasets": ["breast", "spambase"], "algorithms": ["constant", {"name": "svm", "params": {"C": -1}}]}
    results = run()
    assert (results.ok, results.statuses) == (False, {"ok": 4, "failed": 4, "skipped": 8})
    reasons = " ".join(problem[1] for problem in results.problems())
    assert "The 'C' parameter of SVC must be" in reasons
    assert "spambase/spambase.data is not in" in reasons
    again = run(only={"dataset": "breast"})
    assert (again.ran, again.reused) == (4, 4)


def test_an_interrupted_run_continues(tiny, write_suite, method, tmp_path):
    """By SIGTERM, which `interruptible` takes as it takes SIGINT."""
    tiny |= {"algorithms": [{"name": "drawn", "params": {"seconds": 0.5}}], "split": {"repetitions": 40}}
    tiny["adversaries"] = []
    suite = write_suite(tiny)
    command = [sys.executable, "-m", "benchkit", "run", suite, "--no-tracking", "-j", "2"]
    command += ["--out", str(tmp_path / "runs"), "--plugin", str(method)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    journal = tmp_path / "runs" / "tiny" / "trials.jsonl"
    until(lambda: journal.exists() and journal.read_text().count("\n") >= 3)
    os.kill(process.pid, signal.SIGTERM)
    out, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, error
    assert "Traceback" not in error
    assert "interrupted; run the same command again to resume" in error
    rows = Store(tmp_path / "runs", "tiny").rows()
    assert 3 <= len(rows) < 40
    assert {row["status"] for row in rows} == {"ok"}
    assert len(out.splitlines()) <= 5
    options = {"out": tmp_path / "runs", "plugins": [method], "executor": "inline", "tracking": False}
    assert benchkit.run(suite, only={"repetition": "39"}, **options).ok


@pytest.fixture
def hears_sigint():
    """A background job of a shell ignores it from the start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def catch_all(number=signal.SIGINT):
    try:
        signal.raise_signal(number)
    except BaseException:  # as bare excepts of libraries do
        return


def forget():
    class Interrupted:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    Interrupted()
    time.sleep(0.1)


@pytest.mark.usefixtures("hears_sigint")
def test_handlers_are_put_back_and_those_of_others_left_alone():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = signal.getsignal(signal.SIGTERM)
    with interruptible() as interrupts:
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        catch_all(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)  # at once, as wrappers send it: workers are still being ended
        assert interrupts == [signal.SIGTERM] * 2
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("hears_sigint")
@pytest.mark.parametrize("swallow", [catch_all, forget])
def test_a_run_ends_whose_interrupt_was_swallowed(run, swallow):
    class Swallowing(benchkit.Progress):
        left = 2  # trials until Ctrl-C comes

        def finished(self, record):
            self.left -= 1
            if self.left == 0:
                swallow()

    results = run(progress=Swallowing())
    assert (results.interrupted, results.statuses, results.planned) == (True, {"ok": 2}, 8)


def test_trials_weigh_what_their_method_takes_and_no_more_is_said_before_each_has_ended_one(monkeypatch):
    names = [f"quick-{n}" for n in range(108)] + [f"slow-{n}" for n in range(5)]
    planned = {name: {"dataset": "breast", "algorithm": name.partition("-")[0]} for name in names}
    watch, reused = CountingProgress(), [{"trial": name} | planned[name] for name in names[:8]]
    watch.started(SimpleNamespace(planned=planned, reused=reused), len(names))

    def end(algorithm, status, seconds):
        watch.finished({"dataset": "breast", "algorithm": algorithm, "status": status, "cpu_seconds": seconds})

    assert watch.expected().startswith("getting ready")
    for _ in range(80):
        end("quick", "ok", 0.1)
    assert watch.expected().startswith("perhaps ")
    watch.tick(["slow on breast, budget=2"])
    assert watch.line() == f"80 of 113, {watch.expected()}, now: slow on breast, 0:00 so far"
    end("slow", "failed", 10.0)
    assert watch.expected() == f"about {20 * 0.1 + 4 * 10:.0f} s left"
    watch.tick(["one", "other"])
    assert watch.expected() == f"about {(20 * 0.1 + 4 * 10) / 2:.0f} s left"
    for _ in range(20):
        end("quick", "skipped", None)
    assert watch.line() == "101 of 113, 1 failed, about 20 s left, now: one, 0:00 so far (and 1 more)"
    waited = time.monotonic() + 79 * 0.1 + 10  # two workers took as long for it as one would
    monkeypatch.setattr(time, "monotonic", lambda: waited)
    assert watch.expected() == "about 40 s left"


def test_the_nearest_experience_counts():
    took = {("a", "lp"): [1.0, 3.0], ("b", "lp"): [10.0], ("a", "svm"): [0.5]}
    assert expected_seconds({("a", "lp"): 2}, took) == 4.0
    assert expected_seconds({("new", "lp"): 1}, took) == 14 / 3
    assert expected_seconds({("new", "new"): 1, ("a", "svm"): 1}, took) == 14.5 / 4 + 0.5
    assert expected_seconds({("a", "lp"): 2}, {}) is None


@pytest.fixture
def arguments(tiny, write_suite, method):
    slow = {"name": "drawn", "params": {"seconds": 0.03}}
    tiny |= {"algorithms": [slow, {**slow, "label": "other"}], "adversaries": []}
    tiny["split"] = {**tiny["split"], "repetitions": 12}
    return {"suite": write_suite(tiny), "plugins": [method], "tracking": False}


def table(results):
    return [(row["trial"], row["status"], row["metrics"], row["params"]) for row in results.records]


def count(journal):
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def _run_to_be_killed(arguments, out, executor):
    benchkit.run(**arguments, out=out, executor=executor, jobs=2)


@pytest.mark.parametrize(("executor", "kills"), [("inline", 6), ("local", 1)])  # workers take seconds to start
def test_killed_at_random_moments(arguments, tmp_path, here, executor, kills):
    draw = random.Random(2026)  # the moments are others each time all the same: no machine is as fast twice
    out = tmp_path / "killed"
    journal = out / "tiny" / "trials.jsonl"
    for _ in range(kills):
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
    assert len(done) == len(set(done)) == 24


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
    assert benchkit.run(**arguments, out=tmp_path / "runs", executor="inline").statuses == {"ok": 24}
