"""Shards, merged, are one run."""

import json
import shutil

import numpy as np
import pytest
import yaml

import benchkit
from benchkit.journal import JournalError, read_manifest
from benchkit.session.options import Request
from benchkit.session.plan import plan_suite

# What is tuned says what its candidates took.
TIMINGS = ("run", "outcomes", "tuning", "fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")


def rows(results):
    return [{name: value for name, value in row.items() if name not in TIMINGS} for row in results.records]


@pytest.fixture
def options(tiny, write_suite, tmp_path):
    return {"suite": write_suite(tiny), "executor": "inline", "tracking": False}


def test_merged_shards_equal_a_single_run(options, tmp_path):
    single = benchkit.run(**options, out=tmp_path / "single")
    parts = [benchkit.run(**options, out=tmp_path / f"part{n}", shard=f"{n}/3") for n in (1, 2, 3)]
    merged = benchkit.merge([part.folder for part in reversed(parts)], out=tmp_path / "merged")
    assert rows(merged) == rows(single)
    assert [(p.mean, p.stderr) for p in merged.points()] == [(p.mean, p.stderr) for p in single.points()]
    assert (merged.folder / "tables.md").read_text() == (single.folder / "tables.md").read_text()
    kept, alone = (results.kept_rows.outcomes for results in (merged, single))
    for joint, own in zip(merged.records, single.records, strict=True):
        assert np.array_equal(kept.of(joint).decision, alone.of(own).decision)
    again = benchkit.run(**options, out=tmp_path / "merged")
    assert (again.ran, again.reused) == (0, 8)


def test_shards_are_a_partition_that_keeps_shared_fits_together(options):
    whole = list(plan_suite(Request(options["suite"])).trials)
    parts = [plan_suite(Request(options["suite"], shard=f"{index}/3")) for index in (1, 2, 3)]
    assert sorted(trial for part in parts for trial in part.trials) == sorted(whole)
    seen = [{(t.repetition, t.algorithm.label) for t in part.trials.values()} for part in parts]
    assert all(not one & other for one in seen for other in seen if one is not other)


def test_a_failed_trial_gives_way_to_one_that_ended_ok(options, tiny, write_suite, tmp_path):
    good = benchkit.run(**options, out=tmp_path / "good")
    journal = tmp_path / "bad" / "tiny" / "trials.jsonl"
    shutil.copytree(tmp_path / "good", tmp_path / "bad")
    journal.write_text(journal.read_text().replace('"status": "ok"', '"status": "crashed"'))
    for order in (["bad", "good"], ["good", "bad"]):
        merged = benchkit.merge([tmp_path / name / "tiny" for name in order], out=tmp_path / "-".join(order))
        assert rows(merged) == rows(good)


def test_runs_that_disagree_on_a_trial_say_so_and_the_merged_run_is_whole(options, tmp_path):
    first = benchkit.run(**options, out=tmp_path / "first")
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


def test_runs_of_different_suites_are_refused(options, tmp_path):
    small = {**options, "only": {"algorithm": "constant"}}
    one = benchkit.run(**small, out=tmp_path / "one")
    other = benchkit.run(**small, out=tmp_path / "other", settings={"seed": 8})
    with pytest.raises(JournalError, match="'suite_as_run' differ"):
        benchkit.merge([one.folder, other.folder], out=tmp_path / "both")
