"""Runs that ended: models rechecked, shards merged."""

import json
import shutil

import joblib
import numpy as np
import pytest
import yaml

import benchkit
from benchkit.errors import JournalError
from benchkit.journal.manifest import read_manifest
from benchkit.session.past import verify
from benchkit.session.plan import Request, plan_suite


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


@pytest.fixture
def kept(write_suite, tmp_path):
    lp = {"name": "lp", "params": {"keep_multipliers": True}, "tune": {"grid": {"C": [0.1, 1]}}}
    fdrop = {"name": "fdrop", "params": {"C": 0.1, "keep_multipliers": True}}
    suite = {"name": "certified", "datasets": ["breast"], "split": {"train": 60, "validation": 60, "test": 60}}
    suite |= {"preprocess": ["standardize", {"clip": 5}], "algorithms": [lp, fdrop, "constant"]}
    path = str(write_suite({**suite, "adversaries": [{"name": "greedy-delete", "budgets": [0, 2]}]}))
    return lambda **options: benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False, **options)


def test_objectives_and_bounds_are_confirmed_and_a_model_that_was_changed_is_named(kept, here):
    results = kept(keep_models=True)
    verified = list(verify(results.folder))
    assert len(verified) == 6
    assert all(each.holds for each in verified)
    what = {each.algorithm: [check.what for check in each.checks] for each in verified}
    assert what["lp"] == ["largest weight within the box", "objective", "lower bound by the multipliers"]
    assert what["constant"] == []
    told = here("verify", str(results.folder))
    assert (told.returncode, "nothing to check of constant" in told.stdout) == (0, True)
    trial = next(row["trial"] for row in results.records if row["algorithm"] == "lp")
    path = results.folder.parent / "models" / f"{trial}.joblib"
    model = joblib.load(path)
    model.objective_ *= 0.9
    joblib.dump(model, path)
    told = here("verify", str(results.folder))
    assert told.returncode == 1
    assert "does not hold: breast | lp | greedy-delete budget=0.0 | #0: objective: stated" in told.stdout


def test_without_models_rows_alone_are_run_again(kept, here):
    results = kept(only={"algorithm": "constant"})
    assert list(verify(results.folder)) == []
    told = here("verify", str(results.folder), "--share", "1")
    assert (told.returncode, "2 of 2" in told.stdout) == (0, True)


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
    # Shards are a partition that keeps shared fits together.
    whole = list(plan_suite(Request(write_suite(tiny))).trials)
    parts = [plan_suite(Request(write_suite(tiny), shard=f"{index}/3")) for index in (1, 2, 3)]
    assert sorted(trial for part in parts for trial in part.trials) == sorted(whole)
    seen = [{(t.repetition, t.algorithm.label) for t in part.trials.values()} for part in parts]
    assert all(not one & other for one in seen for other in seen if one is not other)


def test_a_failed_trial_gives_way_to_one_that_ended_ok(run, tmp_path):
    good = run(out=tmp_path / "good")
    journal = tmp_path / "bad" / "tiny" / "trials.jsonl"
    shutil.copytree(tmp_path / "good", tmp_path / "bad")
    journal.write_text(journal.read_text().replace('"status": "ok"', '"status": "crashed"'))
    for order in (["bad", "good"], ["good", "bad"]):
        merged = benchkit.merge([tmp_path / name / "tiny" for name in order], out=tmp_path / "-".join(order))
        assert rows(merged) == rows(good)


def test_tracebacks_of_failed_trials_go_along(run, tiny, method, tmp_path):
    tiny |= {"plugins": [str(method)], "algorithms": ["constant", {"name": "drawn", "params": {"error": "no luck"}}]}
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
    with pytest.raises(JournalError, match="'suite_as_run' differ"):
        benchkit.merge([first.folder, other.folder], out=tmp_path / "both")
