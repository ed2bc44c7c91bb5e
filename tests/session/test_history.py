"""Runs are immutable: what one run measured is its own for ever; models rechecked, shards merged."""

import importlib
import json
import shutil
import sys

import joblib
import numpy as np
import pytest
import yaml

import benchkit
from benchkit.errors import JournalError
from benchkit.journal.manifest import read_manifest
from benchkit.journal.store import Store
from benchkit.report.stored_results import load
from benchkit.session.past import verify
from benchkit.session.plan import Request, plan_suite
from benchkit.suite.source import SuiteError


def press_ctrl_c():
    raise KeyboardInterrupt


class Interrupting(benchkit.Progress):
    def __init__(self, after, act=press_ctrl_c):
        self.left, self.act = after, act

    def finished(self, record):
        self.left -= 1
        if self.left == 0:
            self.act()


def statuses(results):
    return dict(load(results.folder).statuses)


def test_a_fresh_run_that_is_interrupted_leaves_the_first_as_it_was_and_is_continued(run, tmp_path):
    first = run()
    fresh = run(fresh=True, progress=Interrupting(3))
    assert fresh.interrupted
    assert (statuses(first), statuses(fresh)) == ({"ok": 8}, {"ok": 3})
    continued = run(fresh=True)
    assert (continued.ran, continued.reused) == (5, 3)
    assert {row["run"] for row in continued.records} == {fresh.folder.name, continued.folder.name}
    again = run(fresh=True)  # the one before is complete: this one starts anew
    assert (again.ran, again.reused) == (8, 0)
    assert {row["run"] for row in load(again.folder).records} == {again.folder.name}


def test_a_run_ends_whose_output_folder_is_deleted(run, tmp_path):
    deleting = Interrupting(3, lambda: shutil.rmtree(tmp_path / "runs"))
    with pytest.raises(JournalError, match="cannot write") as lost:
        run(progress=deleting)
    assert lost.value.exit_code == 1
    assert run().statuses == {"ok": 8}


def test_a_new_label_reuses_the_record_and_says_who_measured_it_which_earlier_versions_did_not(run, tiny, tmp_path):
    first = run()
    again = run()
    assert again.records == first.records
    assert {row["run"] for row in again.records} == {first.folder.name}
    assert read_manifest(again.folder)["reused_from"] == {first.folder.name: [row["trial"] for row in first.records]}
    tiny["algorithms"] = [{**tiny["algorithms"][0], "label": "a-machine"}, "constant"]
    second = run()
    assert (second.ran, second.reused) == (0, 8)
    again = load(second.folder)
    assert {row["algorithm"] for row in again.records} == {"a-machine", "constant"}
    renamed = [row for row in again.records if row["algorithm"] == "a-machine"]
    assert {(row["run"], row["measured_in"]) for row in renamed} == {(second.folder.name, first.folder.name)}
    assert {row["algorithm"] for row in load(first.folder).records} == {"svm", "constant"}
    store = Store(tmp_path / "runs", "tiny")
    rows = [{key: value for key, value in row.items() if key != "run"} for row in store.rows()]
    store.journal.write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = first.folder / "manifest.json"
    path.write_text(path.read_text().replace('"reused_from"', '"reused_then"'))
    assert statuses(first) == {"ok": 8}
    assert run().reused == 8


def test_a_file_that_moves_is_the_same_data(run, tiny, tmp_path):
    rows = ["a,b,label"] + [f"{n % 7},{n * n % 11},{'yes' if n % 3 else 'no'}" for n in range(200)]
    reused = []
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.csv").write_text("\n".join(rows))
        tiny |= {"datasets": [{"name": "csv", "path": str(tmp_path / folder / "mine.csv")}], "adversaries": []}
        reused.append(run().reused)
    assert reused == [0, 4]


EDITING = """
from pathlib import Path
from sklearn.linear_model import LogisticRegression
from benchkit import Algorithm, hookimpl

class Editing(LogisticRegression):
    def fit(self, X, y):
        if (edit := Path(__file__).with_name("edit.py")).exists():
            exec(edit.read_text())
        return super().fit(X, y)

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="editing", make=Editing)]
"""


@pytest.mark.parametrize(
    ("file", "more", "failed"),
    [
        ("second.csv", "1,1,yes\n", ["second", "second"]),
        ("my_plugin.py", "EDITED = 1\n", ["first", "first", "second", "second"]),
        ("my_plugin.py", "# a comment\n", []),
    ],
)
def test_trials_fail_of_files_that_change_while_a_run_goes(run, tiny, write_plugin, tmp_path, file, more, failed):
    paths = [tmp_path / name for name in ("first.csv", "second.csv")]
    for path in paths:
        path.write_text(
            "a,b,label\n" + "".join(f"{n % 7},{n * n % 11},{'yes' if n % 3 else 'no'}\n" for n in range(200))
        )
    tiny |= {"datasets": [{"name": "csv", "path": str(path), "label": path.stem} for path in paths]}
    tiny |= {"algorithms": ["editing"], "adversaries": [], "plugins": [str(write_plugin(EDITING))]}
    whole = run(out=tmp_path / "whole")
    before, edit = (tmp_path / file).read_text(), tmp_path / "edit.py"
    edit.write_text(f"Path({str(tmp_path / file)!r}).write_text({before + more!r})")
    changed = run()
    assert [row["dataset"] for row in changed.records if row["status"] == "failed"] == failed
    assert all(f"{file} changed while the run went: run the same" in text for _, text in changed.problems())
    edit.unlink()
    (tmp_path / file).write_text(before)
    again = run()
    assert (again.reused, rows(again)) == (4 - len(failed), rows(whole))


METRIC = """
from benchkit import Metric, hookimpl

@hookimpl
def benchkit_metrics():
    return [Metric(name="mine", compute="edited_package.metric:compute")]
"""


@pytest.mark.parametrize("imported", ["by the run", "by the user"])
def test_an_edited_package_is_not_run_under_the_id_of_its_new_code(
    run, tiny, write_plugin, tmp_path, monkeypatch, imported
):
    tiny["metrics"] = ["mine"]
    plugin = write_plugin(METRIC)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", imported == "by the run")
    source = tmp_path / "edited_package" / "metric.py"
    source.parent.mkdir()
    source.with_name("__init__.py").touch()

    def write(value, note=""):
        source.write_text(f"def compute(context):\n    return {value}\n{note}")

    def ran():
        results = run(plugins=[plugin])
        return results.ran, {row["metrics"]["mine"] for row in results.records}

    write(1.0)
    try:
        if imported == "by the run":
            assert ran() == (8, {1.0})
            write(1.0, "# a comment\n")
            assert ran() == (0, {1.0})
        else:
            importlib.import_module("edited_package.metric")
        write(2.25)
        for _ in range(2):
            with pytest.raises(SuiteError, match=r"^edited_package\.metric was edited since it was imported.*start Py"):
                ran()
        importlib.reload(sys.modules["edited_package.metric"])
        assert ran() == (8, {2.25})
    finally:
        for name in ("edited_package.metric", "edited_package"):
            sys.modules.pop(name, None)


FILE_PLUGIN = """
import os
from pathlib import Path
import numpy as np
from benchkit import Data, DataFile, Dataset, Metric, hookimpl, require_file

SCALE = Path(__file__).with_name("scale.txt")

def load():
    X = np.loadtxt(require_file("numbers.txt")).reshape(-1, 1)
    X = X * float(SCALE.read_text()) + float(os.environ["MY_SHIFT"])
    return Data(X=X, y=np.where(np.arange(len(X)) % 2, 1, -1))

@hookimpl
def benchkit_datasets():
    return [Dataset(name="numbers", load=load, files=[DataFile(name="numbers.txt")], inputs={inputs})]

@hookimpl
def benchkit_metrics():
    return [Metric(name="largest", compute=lambda context: float(context.X.max()))]
"""


def test_declared_inputs_are_read_anew_and_others_by_a_fresh_run(run, tiny, write_plugin, tmp_path, monkeypatch):
    (tmp_path / "numbers.txt").write_text("1\n" * 40)
    monkeypatch.setenv("BENCHKIT_DATA", str(tmp_path))
    tiny |= {"datasets": ["numbers"], "algorithms": ["constant"], "metrics": ["largest"], "adversaries": []}
    tiny |= {"split": {"train": 20, "test": 20}, "preprocess": []}

    def largest(inputs, scale, shift, **options):
        (tmp_path / "scale.txt").write_text(str(scale))
        monkeypatch.setenv("MY_SHIFT", str(shift))
        results = run(plugins=[write_plugin(FILE_PLUGIN.replace("{inputs}", inputs))], **options)
        return results.ran, results.records[0]["metrics"]["largest"]

    declared = "[str(SCALE), '$MY_SHIFT']"
    assert largest(declared, 1, 0) == (1, 1.0)
    assert largest(declared, 2, 5) == (1, 7.0)
    assert largest("()", 1, 0, fresh=True) == (1, 1.0)
    # What is not declared nobody can know: `benchkit check` finds it.
    assert largest("()", 2, 5) == (0, 1.0)
    assert largest("()", 2, 5, fresh=True) == (1, 7.0)


def test_models_are_kept_if_asked(run):
    results = run()
    with pytest.raises(JournalError, match="no model of a trial"):
        results.load_model(results.records[0]["trial"])
    kept = run(keep_models=True)
    assert kept.ran == 8
    assert run(keep_models=True).ran == 0
    row = next(row for row in kept.records if row["algorithm"] == "svm")
    model = kept.load_model(row["trial"][:12])
    assert row["params"]["C"] == model.C
    assert np.isfinite(model.coef_).all()


def test_objectives_and_bounds_are_confirmed_and_a_model_that_was_changed_is_named(here, write_suite, tmp_path):
    lp = {"name": "lp", "params": {"keep_multipliers": True}, "tune": {"grid": {"C": [0.1, 1]}}}
    fdrop = {"name": "fdrop", "params": {"C": 0.1, "keep_multipliers": True}}
    suite = {"name": "certified", "datasets": ["breast"], "split": {"train": 60, "validation": 60, "test": 60}}
    suite |= {"preprocess": ["standardize", {"clip": 5}], "algorithms": [lp, fdrop, "constant"]}
    path = str(write_suite({**suite, "adversaries": [{"name": "greedy-delete", "budgets": [0, 2]}]}))
    results = benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False, keep_models=True)
    verified = list(verify(results.folder))
    assert len(verified) == 6
    assert all(each.holds for each in verified)
    what = {each.algorithm: [check.what for check in each.checks] for each in verified}
    assert what["lp"] == ["largest weight within the box", "objective", "lower bound by the multipliers"]
    assert what["constant"] == []
    trial = next(row["trial"] for row in results.records if row["algorithm"] == "lp")
    path = results.folder.parent / "models" / f"{trial}.joblib"
    model = joblib.load(path)
    model.objective_ *= 0.9
    joblib.dump(model, path)
    told = here("verify", str(results.folder))
    assert told.returncode == 1
    assert "does not hold: lp on breast, greedy-delete budget=0, repetition 0: objective: stated" in told.stdout


# What is tuned says what its candidates took.
TIMINGS = ("run", "outcomes", "tuning", "fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")


def rows(results):
    return [{name: value for name, value in row.items() if name not in TIMINGS} for row in results.records]


def test_merged_shards_equal_a_single_run(run, tiny, write_suite, tmp_path):
    single = run(out=tmp_path / "single")
    parts = [run(out=tmp_path / f"part{n}", shard=f"{n}/3") for n in (1, 2, 3)]
    merged = benchkit.merge([part.folder for part in reversed(parts)], out=tmp_path / "merged")
    assert rows(merged) == rows(single)
    assert [(p.mean, p.stderr) for p in merged.points()] == [(p.mean, p.stderr) for p in single.points()]
    assert (merged.folder / "tables.md").read_text() == (single.folder / "tables.md").read_text()
    kept, alone = (results.kept_rows.outcomes for results in (merged, single))
    for joint, own in zip(merged.records, single.records, strict=True):
        assert np.array_equal(kept.of(joint).decision, alone.of(own).decision)
    again = run(out=tmp_path / "merged")
    assert (again.ran, again.reused) == (0, 8)
    half = run(out=tmp_path / "half", shard="1/2")
    assert benchkit.merge([half.folder, parts[2].folder], out=tmp_path / "some").manifest["shard"] == "1/2, 3/3"
    # Shards are a partition that keeps shared fits together.
    whole = list(plan_suite(Request(write_suite(tiny))).trials)
    parts = [plan_suite(Request(write_suite(tiny), shard=f"{index}/3")) for index in (1, 2, 3)]
    assert sorted(trial for part in parts for trial in part.trials) == sorted(whole)
    seen = [{(t.repetition, t.algorithm.label) for t in part.trials.values()} for part in parts]
    assert all(not one & other for one in seen for other in seen if one is not other)


def test_a_failed_trial_gives_way_to_one_that_ended_ok_and_goes_along_with_its_traceback(run, tmp_path, tiny, method):
    good = run(out=tmp_path / "good")
    journal = tmp_path / "bad" / "tiny" / "trials.jsonl"
    shutil.copytree(tmp_path / "good", tmp_path / "bad")
    journal.write_text(journal.read_text().replace('"status": "ok"', '"status": "crashed"'))
    for order in (["bad", "good"], ["good", "bad"]):
        merged = benchkit.merge([tmp_path / name / "tiny" for name in order], out=tmp_path / "-".join(order))
        assert rows(merged) == rows(good)
    tiny |= {"plugins": [str(method)], "adversaries": []}
    tiny["algorithms"] = ["constant", {"name": "drawn", "params": {"error": "no luck"}}]
    parts = [run(shard=f"{part}/2", out=tmp_path / str(part)).folder for part in (1, 2)]
    merged = benchkit.merge(parts, out=tmp_path / "merged")
    failed = {row["trial"] for row in merged.records if row["status"] == "failed"}
    assert failed
    traces = {path.stem: path.read_text() for path in (merged.folder / "tracebacks").glob("*.txt")}
    assert traces.keys() == failed
    assert all("no luck" in trace for trace in traces.values())


def test_runs_that_disagree_on_a_trial_say_so_and_those_of_different_suites_are_refused(run, tmp_path):
    first = run(out=tmp_path / "first")
    shutil.copytree(tmp_path / "first", tmp_path / "second")
    journal = tmp_path / "second" / "tiny" / "trials.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    row = json.loads(lines[0])
    journal.write_text(json.dumps({**row, "metrics": {"error": 0.987}}) + "\n" + "".join(lines[1:]))
    merged = benchkit.merge([tmp_path / name / "tiny" for name in ("first", "second")], out=tmp_path / "merged")
    (disagreement,) = read_manifest(merged.folder)["disagreements"]
    assert f"(trial {row['trial']}): " in disagreement
    assert "0.987" in disagreement
    one, other = (yaml.safe_load((each.folder / "suite.yaml").read_text()) for each in (first, merged))
    assert one == other
    other = run(only={"algorithm": "constant"}, out=tmp_path / "other", settings={"seed": 8})
    with pytest.raises(JournalError, match="not runs of one suite: seed is 8 in the former, 7 in the latter"):
        benchkit.merge([first.folder, other.folder], out=tmp_path / "both")
    other = run(out=tmp_path / "third", settings={"algorithms.0.tune.grid.C": [1, 2]})
    with pytest.raises(JournalError, match=r"suite: algorithms.0.tune.0.grid.C.0 is 1 in the former, 0.1 in"):
        benchkit.merge([first.folder, other.folder], out=tmp_path / "both")


def test_shards_of_which_one_names_its_files_by_another_folder_are_of_one_suite(run, tiny, tmp_path, monkeypatch):
    lines = ["a,b,label", *(f"{n % 7},{n * n % 11},{'yes' if n % 3 else 'no'}" for n in range(200))]
    tiny |= {"datasets": [{"name": "csv", "path": "mine.csv"}], "adversaries": []}
    tiny["split"] = {"repetitions": 4, "train": 90, "validation": 60, "test": "later.csv"}
    parts = []
    for shard in (1, 2):
        folder = tmp_path / str(shard)
        folder.mkdir()
        (folder / "mine.csv").write_text("\n".join(lines))
        (folder / "later.csv").write_text("\n".join(lines[:60]))
        if shard == 2:
            tiny["datasets"][0]["path"], tiny["split"]["test"] = str(folder / "mine.csv"), str(folder / "later.csv")
        monkeypatch.chdir(folder)
        parts.append(run(shard=f"{shard}/2").folder)
    single = run(out=tmp_path / "single")
    merged = benchkit.merge(reversed(parts), out=tmp_path / "merged")
    assert rows(merged) == rows(single)
    assert len({row["cell"] for row in merged.records}) == 2
    (folder / "mine.csv").write_text("\n".join(lines[:190]))
    other = run(out=tmp_path / "other").folder
    with pytest.raises(JournalError, match="not of the same data: a file of csv differs"):
        benchkit.merge([parts[0], other], out=tmp_path / "both")
