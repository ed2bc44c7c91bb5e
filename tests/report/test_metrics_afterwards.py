"""Metrics that nobody asked for when a run was made follow from the rows that it has kept."""

from dataclasses import replace

import pytest

import benchkit
from benchkit.errors import RequestError
from benchkit.report.analysis import Analysis
from tests.conftest import TINY

ASKED = ["error", "balanced_accuracy", "recall_macro", "roc_auc", "neg_log_loss"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def suite():
    svm, constant = TINY["algorithms"]
    return {**TINY, "split": {**TINY["split"], "repetitions": 3}, "algorithms": [svm, "logistic-regression", constant]}


@pytest.fixture(scope="module")
def run(suite, folder):
    return benchkit.run(suite, out=folder / "runs", executor="inline")


@pytest.fixture(scope="module")
def measured(suite, folder):
    return benchkit.run({**suite, "metrics": ASKED}, out=folder / "others", executor="inline")


def test_they_equal_what_the_trials_would_have_said(run, measured):
    afterwards = benchkit.load(run.folder).with_metrics(*ASKED)
    assert afterwards.metrics == ASKED
    assert [row["metrics"] for row in afterwards.rows] == [row["metrics"] for row in measured.rows]
    assert [[*row["no_value"]] for row in afterwards.rows] == [[*row["no_value"]] for row in measured.rows]


def test_a_metric_without_values_of_rows_is_warned_of(run):
    warned = [
        "row_values" in " ".join(Analysis(benchkit.load(run.folder).with_metrics(name)).cautions)
        for name in ("f1_macro", "error", "balanced_accuracy")
    ]
    assert warned == [True, False, False]


def test_a_suite_with_one_metric_more_runs_nothing(suite, run, measured, folder):
    again = benchkit.run({**suite, "metrics": ["error", "balanced_accuracy"]}, out=folder / "runs", executor="inline")
    assert (again.ran, again.reused) == (0, 18)
    expected = [{name: row["metrics"][name] for name in ("error", "balanced_accuracy")} for row in measured.rows]
    assert [row["metrics"] for row in again.rows] == expected
    once_more = benchkit.run({**suite, "metrics": ["error"]}, out=folder / "runs", executor="inline")
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
    assert frame.groupby("trial")["loss"].mean().to_dict() == pytest.approx(
        {row["trial"]: row["metrics"]["error"] for row in run.rows}
    )
    attacked = frame[(frame["algorithm"] == "svm") & (frame["axis_value"] == 2)]
    assert (attacked["changed"] <= 2).all()
    assert attacked["changed"].sum() > 0
    written = call_benchkit(folder, "report", str(run.folder), "--format", "rows", "-o", "rows.csv")
    assert written.returncode == 0, written.stderr
    import pandas as pd

    assert len(pd.read_csv(folder / "rows.csv")) == len(frame)


def test_a_run_that_kept_none_says_so(suite, folder, call_benchkit):
    run = benchkit.run({**suite, "keep": {"rows": "none"}}, out=folder / "none", executor="inline")
    told = call_benchkit(folder, "report", str(run.folder), "--format", "rows")
    assert told.returncode == 2
    assert "no rows were kept" in told.stderr
    assert not (folder / "none" / "tiny" / "rows").exists()
    page = (run.folder / "report.html").read_text()
    assert not any(f"<h2>{title}</h2>" in page for title in ("What was predicted", "Columns that were changed"))


def test_a_torn_end_of_the_rows_runs_its_trial_again(suite, folder):
    run = benchkit.run(suite, out=folder / "torn", executor="inline")
    (rows,) = (path for path in (folder / "torn" / "tiny" / "rows").iterdir() if ".parts" not in path.name)
    rows.write_bytes(rows.read_bytes()[:-9])
    again = benchkit.run(suite, out=folder / "torn", executor="inline")
    assert (again.ran, again.reused) == (1, 17)
    assert [row["metrics"] for row in again.rows] == [row["metrics"] for row in run.rows]
    assert len(again.rows_to_pandas()) == 18 * 60


def test_losses_alone_sharpen_intervals_and_give_what_follows_from_them(suite, measured, folder):
    run = benchkit.run({**suite, "keep": {"rows": "losses"}}, out=folder / "losses", executor="inline")
    assert all(each.by_rows for each in run.comparisons())
    afterwards = run.with_metrics("balanced_accuracy", "f1")
    expected = [row["metrics"]["balanced_accuracy"] for row in measured.rows]
    assert [row["metrics"]["balanced_accuracy"] for row in afterwards.rows] == pytest.approx(expected)
    assert {row["metrics"]["f1"] for row in afterwards.rows} == {None}
    assert "f1 needs predictions, and the run kept losses alone" in afterwards.rows[0]["no_value"]["f1"]


HANGING = """\
import time
import benchkit

benchkit_api = 1


def compute(evaluation):
    time.sleep(3600)


@benchkit.hookimpl
def benchkit_metrics():
    return [benchkit.Metric(name="slow", compute=compute, needs="losses", summary="It hangs")]
"""


def test_a_metric_that_hangs_ends_the_report_and_not_the_day(run, folder, monkeypatch):
    (folder / "slow.py").write_text(HANGING)
    monkeypatch.setattr("benchkit.report.metrics_afterwards._SECONDS", 2.0)
    with pytest.raises(RequestError, match="slow: "):
        benchkit.load(run.folder).with_metrics("slow", plugins=[str(folder / "slow.py")])


def test_what_a_run_measured_is_reported_though_its_plugin_is_not_loaded(run):
    measured = replace(run, metrics=[*run.metrics, "of-a-stranger"])
    assert measured.with_metrics("of-a-stranger") is measured
