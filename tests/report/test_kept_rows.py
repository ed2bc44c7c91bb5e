"""Intervals and metrics that follow from the rows that a run has kept are those of the formula and of the trials."""

import math
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import benchkit
from benchkit import Metric, NotApplicableError
from benchkit.report.analysis import Analysis
from benchkit.report.exports import rows_frame
from benchkit.report.grid import arrange
from benchkit.report.kept_rows import row_values
from benchkit.report.standings import standings
from benchkit.statistics import difference
from tests.conftest import TINY

SUITE = {**TINY, "split": {"repetitions": 4, "train": 100, "test": 80}, "seed": 3}
SUITE["algorithms"] = [{"name": "svm", "params": {"C": 0.01}}, "logistic-regression"]
SUITE["adversaries"] = [{"name": "random-delete", "budgets": [4]}]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return benchkit.run(SUITE, out=tmp_path_factory.mktemp("out"), executor="inline", tracking=False)


def test_the_interval_is_that_of_the_formula(plain):
    (compared,) = plain.comparisons()
    frame = plain.rows_to_pandas().pivot_table(index=["repetition", "row"], columns="algorithm", values="loss")
    d = (frame[compared.algorithm] - frame[compared.reference]).reset_index(name="d")
    by_row = d.groupby("row")["d"].agg(["sum", "size"])
    m, n, units = d["d"].mean(), len(d), len(by_row)
    of_rows = sum((s - c * m) ** 2 for s, c in by_row.to_numpy()) / n**2 * units / (units - 1)
    splits = d.groupby("repetition")["d"].mean()
    low = of_rows + splits.var() / 4
    variance = max(low, min(splits.var() * (1 / 4 + 80 / (569 - 80)), low + of_rows)) + 4 / units**2
    assert compared.by_rows
    assert compared.difference == pytest.approx(m)
    assert (compared.high - compared.low) / 2 == pytest.approx(1.959963984540054 * math.sqrt(variance))
    assert compared.test == "paired test over rows"


def test_the_site_and_the_answers_estimate_a_difference_as_the_stars_do(plain):
    (compared,) = plain.comparisons()
    points = plain.points()
    by_name = {point.algorithm: point.measurement for point in points}
    leading = standings(*arrange(points, {"error": False})).ahead
    for found in (difference(by_name[compared.algorithm], by_name[compared.reference]), leading):
        assert sorted(found.interval()) == pytest.approx(sorted((compared.low, compared.high)))


def test_a_report_of_kept_rows_imports_no_pandas(plain):
    """It would take a third of the time of such a report."""
    asked = "import sys, benchkit; print(benchkit.load(sys.argv[1]).comparisons()[0].by_rows, 'pandas' in sys.modules)"
    called = subprocess.run([sys.executable, "-c", asked, plain.folder], capture_output=True, text=True, check=True)
    assert called.stdout.split() == ["True", "False"]


def test_rows_of_another_number_or_by_other_code_than_the_means_tell_nothing(plain):
    one, other = (point.measurement for point in plain.points())
    assert difference(one, other).rows is not None
    (name,) = {part[1] for part in one.values}
    swapped = replace(other, rows=lambda part: other.rows((1, name)))  # tested on other rows
    assert difference(one, swapped).rows is None
    one, _ = plain.points()
    metric = plain.kept_rows.metrics["error"]
    changed = replace(metric, row_values=lambda context: 2.0 * (context.y != context.predictions))
    kept = replace(plain.kept_rows, metrics={"error": changed}, columns=None)
    measured = replace(one.measurement, rows=kept.of_method("error", one.records))
    assert difference(measured, one.measurement).rows is None
    (message,) = kept.unreadable
    assert message.startswith("error was computed by other code")


def test_values_of_rows_of_a_wrong_shape_are_refused(plain):
    metric = Metric(name="odd", compute=lambda e: 0.0, needs="labels", row_values=lambda e: np.zeros(3))
    with pytest.raises(NotApplicableError, match=r"shape \(3,\) of 80 rows"):
        row_values(metric, plain.kept_rows.outcomes.of(plain.rows[0]))


OWN = """
import numpy as np
from benchkit import Metric, hookimpl

benchkit_api = 1

def costs(context):
    return np.where(context.predictions == context.y, 0.0, 1.0 + context.y)

def cost(context):
    return float(costs(context).mean())

@hookimpl
def benchkit_metrics():
    return [Metric(name="cost", compute=cost, needs="labels", row_values=costs, range=(0, 2))]
"""


def test_a_metric_of_ones_own_reads_rows_in_the_run_and_in_its_report(tmp_path, write_plugin):
    suite = {**SUITE, "name": "own", "adversaries": [], "metrics": ["cost"]}
    run = benchkit.run(suite, plugins=[write_plugin(OWN)], out=tmp_path / "out", executor="inline", tracking=False)
    at_once, later = ([each.by_rows for each in results.comparisons()] for results in (run, benchkit.load(run.folder)))
    assert at_once == later == [True]
    shutil.copytree(tmp_path / "out", tmp_path / "elsewhere")
    plugin = write_plugin(OWN + "# edited")
    assert [each.by_rows for each in benchkit.load(run.folder).comparisons()] == [False]
    plugin.write_text(OWN)
    moved = tmp_path / "elsewhere" / run.folder.relative_to(tmp_path / "out")
    foreign = Analysis(benchkit.load(moved))
    assert [each.by_rows for each in foreign.comparisons] == [False]
    assert any("cost" in caution and "--trust" in caution for caution in foreign.cautions)
    assert Analysis(benchkit.load(moved, trust=True)).comparisons[0].by_rows


ASKED = ["error", "balanced_accuracy", "recall_macro", "roc_auc", "neg_log_loss"]


SVM, CONSTANT = TINY["algorithms"]
THREE = {**TINY, "split": {**TINY["split"], "repetitions": 3}, "algorithms": [SVM, "logistic-regression", CONSTANT]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def run(folder):
    return benchkit.run(THREE, out=folder / "runs", executor="inline")


@pytest.fixture(scope="module")
def measured(folder):
    return benchkit.run({**THREE, "metrics": ASKED}, out=folder / "others", executor="inline")


def test_they_equal_what_the_trials_would_have_said_and_one_without_values_of_rows_is_warned_of(run, measured):
    afterwards = benchkit.load(run.folder).with_metrics(*ASKED)
    assert afterwards.metrics == ASKED
    assert [row["metrics"] for row in afterwards.rows] == [row["metrics"] for row in measured.rows]
    assert [[*row["no_value"]] for row in afterwards.rows] == [[*row["no_value"]] for row in measured.rows]
    for name, warned in (("f1_macro", True), ("error", False), ("balanced_accuracy", False)):
        cautions = Analysis(benchkit.load(run.folder).with_metrics(name)).cautions
        assert any("row_values" in caution for caution in cautions) == warned


def test_a_suite_with_one_metric_more_runs_nothing(run, measured, folder):
    again = benchkit.run({**THREE, "metrics": ["error", "balanced_accuracy"]}, out=folder / "runs", executor="inline")
    assert (again.ran, again.reused) == (0, 18)
    expected = [{name: row["metrics"][name] for name in ("error", "balanced_accuracy")} for row in measured.rows]
    assert [row["metrics"] for row in again.rows] == expected
    once_more = benchkit.run({**THREE, "metrics": ["error"]}, out=folder / "runs", executor="inline")
    assert (once_more.ran, once_more.reused) == (0, 18)


def test_the_command_computes_them_and_says_where_it_cannot(run, folder, call_benchkit):
    told = call_benchkit(folder, "report", str(run.folder), "--metrics", "f1", "--format", "csv")
    assert told.returncode == 0, told.stderr
    assert "f1" in told.stdout
    refused = call_benchkit(folder, "report", str(run.folder), "--metrics", "fit-seconds")
    assert refused.returncode == 2
    assert "fit-seconds was not measured, and cannot be told from rows" in refused.stderr


def test_rows_as_a_table(run, folder, call_benchkit):
    frame = run.rows_to_pandas()
    assert len(frame) == 18 * 60
    errors = {row["trial"]: row["metrics"]["error"] for row in run.rows}
    assert frame.groupby("trial")["loss"].mean().to_dict() == pytest.approx(errors)
    pairs = [{**row, "dataset_params": {"pair": [4, 7 + row["repetition"] % 2], "n": 9}} for row in run.rows]
    names = set(rows_frame(replace(run, rows=pairs))["dataset"])
    assert {name.partition(" ")[2] for name in names} == {"4 vs 7", "4 vs 8"}
    attacked = frame[(frame["algorithm"] == "svm") & (frame["axis_value"] == 2)]
    assert (attacked["changed"] <= 2).all()
    assert attacked["changed"].sum() > 0
    written = call_benchkit(folder, "report", str(run.folder), "--format", "rows", "-o", "rows.csv")
    assert written.returncode == 0, written.stderr
    assert (folder / "rows.csv").read_text().count("\n") == len(frame) + 1


def test_a_run_that_kept_none_says_so(folder, call_benchkit):
    run = benchkit.run({**THREE, "keep": {"rows": "none"}}, out=folder / "none", executor="inline")
    told = call_benchkit(folder, "report", str(run.folder), "--format", "rows")
    assert told.returncode == 2
    assert "no rows were kept" in told.stderr
    assert not (folder / "none" / "tiny" / "rows").exists()
    page = (run.folder / "report.html").read_text()
    assert not any(f"<h2>{title}</h2>" in page for title in ("What was predicted", "Columns that were changed"))


def test_a_torn_end_of_the_rows_runs_its_trial_again(folder):
    run = benchkit.run(THREE, out=folder / "torn", executor="inline")
    (rows,) = (path for path in (folder / "torn" / "tiny" / "rows").iterdir() if ".parts" not in path.name)
    rows.write_bytes(rows.read_bytes()[:-9])
    again = benchkit.run(THREE, out=folder / "torn", executor="inline")
    assert (again.ran, again.reused) == (1, 17)
    assert [row["metrics"] for row in again.rows] == [row["metrics"] for row in run.rows]
    assert len(again.rows_to_pandas()) == 18 * 60


def test_losses_alone_sharpen_intervals_and_give_what_follows_from_them(measured, folder):
    run = benchkit.run({**THREE, "keep": {"rows": "losses"}}, out=folder / "losses", executor="inline")
    assert all(each.by_rows for each in run.comparisons())
    afterwards = run.with_metrics("balanced_accuracy", "f1")
    expected = [row["metrics"]["balanced_accuracy"] for row in measured.rows]
    assert [row["metrics"]["balanced_accuracy"] for row in afterwards.rows] == pytest.approx(expected)
    assert {row["metrics"]["f1"] for row in afterwards.rows} == {None}
    assert "f1 needs predictions, and the run kept losses alone" in afterwards.rows[0]["no_value"]["f1"]


def test_what_a_run_measured_is_reported_though_its_plugin_is_not_loaded(run):
    measured = replace(run, metrics=[*run.metrics, "of-a-stranger"])
    assert measured.with_metrics("of-a-stranger") is measured
