"""Runs are compared where their trials coincide, and times only on one machine."""

import json
from dataclasses import replace

import pytest
from scipy import stats

from benchkit.errors import RequestError
from benchkit.report.compare_runs import (
    TIMES,
    comparable_metrics,
    compare_runs,
    environment_differences,
)
from benchkit.trial.record import changed


@pytest.fixture
def make_run(make_row, make_results, tmp_path):
    def make(name, shift, host="one", seed=1, places=(0.0, 1.0)):
        rows = [
            make_row(r, 0.1 + 0.01 * r + (shift if a == "new" else 0) * (1 + 0.1 * r), algorithm=a, axis_value=place)
            | {"fit_seconds": 1.0 + shift + 0.001 * r, "tune_seconds": None, "cpu_seconds": 2.0}
            for a in ("new", "old")
            for place in places
            for r in range(8)
        ]
        folder = tmp_path / name
        folder.mkdir()
        suite = {"name": "s", "seed": seed, "datasets": [{"name": "d"}]}
        known = {"suite": "s", "title": "", "trials": [], "suite_as_run": suite}
        manifest = {**known, "environment": {"host": host, "versions": {"numpy": name}}, "command": "c"}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        return replace(make_results(rows), folder=folder)

    return make


def test_pairs_are_tested_and_equal_cells_are_equal(make_run):
    runs = [make_run("a", 0.0), make_run("b", 0.05)]
    (found,) = compare_runs(runs, ["error"])
    assert not found.unpaired
    sides = {(side.algorithm, side.axis_value): side for side in found.sides}
    assert sides["old", 0.0].difference == 0
    assert not sides["old", 0.0].significant
    new = sides["new", 1.0]
    differences = [0.05 * (1 + 0.1 * r) for r in range(8)]
    assert new.wilcoxon == pytest.approx(stats.wilcoxon(differences).pvalue)
    assert new.holm == pytest.approx(2 * new.wilcoxon)  # two cells of this algorithm
    assert new.significant
    assert new.after - new.before == pytest.approx(new.difference)


def test_worse_is_more_of_a_loss_or_a_time_and_less_of_a_score(make_run):
    before, after = make_run("a", 0.0), make_run("b", 0.05)
    (found,) = compare_runs([before, after], ["error", "fit_seconds"])
    assert {(side.algorithm, side.metric) for side in found.worse} == {
        ("new", "error"),
        ("new", "fit_seconds"),
        ("old", "fit_seconds"),
    }
    (back,) = compare_runs([after, before], ["error", "fit_seconds"])
    assert back.worse == []
    scores = [replace(run, greater_is_better={"error": True}) for run in (after, before)]
    (found,) = compare_runs(scores, ["error"])
    assert {side.algorithm for side in found.worse} == {"new"}


def test_other_splits_are_not_paired(make_run):
    (found,) = compare_runs([make_run("a", 0.0), make_run("b", 0.05, seed=2)], ["error"])
    assert "seed of the suites differ" in found.unpaired
    assert {side.holm for side in found.sides} == {None}
    assert len(found.sides) == 4


def test_a_metric_of_other_code_is_named(make_run):
    def with_code(run, code):
        return replace(run, rows=[changed(row, {"metric_code": {"error": code}}) for row in run.rows])

    before, after = make_run("a", 0.0), make_run("b", 0.05)
    (found,) = compare_runs([with_code(before, "1"), with_code(after, "2")], ["error", "fit_seconds"])
    assert found.other_code == ("error",)
    assert any(note.startswith("error: ") for note in found.notes)
    (found,) = compare_runs([with_code(before, "1"), with_code(after, "1")], ["error", "fit_seconds"])
    assert (found.other_code, found.notes) == ((), [])


def test_times_of_different_machines_are_refused(make_run):
    here = [make_run("a", 0.0), make_run("b", 0.5)]
    assert comparable_metrics(here, None, False) == ["error", *TIMES]
    (found,) = compare_runs(here, ["fit_seconds"])
    assert found.sides[0].difference == pytest.approx(0.5)
    apart = [here[0], make_run("c", 0.5, host="other")]
    assert comparable_metrics(apart, None, False) == ["error"]
    assert comparable_metrics(apart, ["fit_seconds"], True) == ["fit_seconds"]
    with pytest.raises(RequestError, match=r"fit_seconds of different machines .* \(host differ\)"):
        comparable_metrics(apart, ["fit_seconds"], False)
    with pytest.raises(RequestError, match="metric 'auc' is not in all runs"):
        comparable_metrics(here, ["auc"], False)


def test_what_differs_in_the_environments(make_run):
    runs = [make_run("a", 0.0), make_run("b", 0.0, host="two", seed=3)]
    found = dict(environment_differences([run.manifest for run in runs]))
    assert found == {"host": ["one", "two"], "versions.numpy": ["a", "b"], "suite_as_run.seed": ["1", "3"]}
