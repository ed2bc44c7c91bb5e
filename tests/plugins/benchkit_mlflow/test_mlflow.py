"""Runs in MLflow, during a run and after it."""

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests

from benchkit import TrackingError
from benchkit.session.past import sync
from benchkit_mlflow import connection
from benchkit_mlflow.connection import check_reachable, quiet_mlflow
from benchkit_mlflow.experiments import Panels
from benchkit_mlflow.tracking import SENT
from tests.conftest import PATIENCE, until


def test_a_run_per_method_with_a_curve_for_each_panel_and_metric(run, client, logged):
    claim = {"claim": "it holds", "order": ["svm", "constant"], "at": [9]}
    results = run(suite={"expect": [claim], "title": "![](http://elsewhere/x.png)"})
    (report,), methods = logged(client)
    methods = {each.info.run_name: each for each in methods}
    assert set(methods) == {"svm", "constant"}
    assert report.info.status == "FINISHED"
    note = client.get_experiment_by_name("tiny").tags["mlflow.note.content"]
    assert "![](" not in note  # no image, which a browser would fetch
    assert report.data.metrics == {"trials_ok": 8}
    assert set(methods["svm"].data.metrics) == {"error/breast under greedy-delete"}
    history = client.get_metric_history(methods["svm"].info.run_id, "error/breast under greedy-delete")
    means = [point.mean for point in results.points() if point.algorithm == "svm"]
    assert {each.step: each.value for each in history} == pytest.approx(dict(zip((0, 2), means, strict=True)))
    files = {file.path for file in client.list_artifacts(report.info.run_id)}
    assert {"tables.md", "points.csv", "manifest.json", "report.html", "records.parquet"} <= files
    note = report.data.tags["mlflow.note.content"]
    assert "not run" in note
    assert "it holds" in note


def test_the_view_shows_the_methods_of_the_newest_run(run, client):
    first, second = run(), run(fresh=True)
    experiment = client.get_experiment_by_name("tiny")
    view = json.loads(experiment.tags["mlflow.sharedViewState.benchkit"])
    assert second.folder.name in view["searchFilter"]
    assert first.folder.name not in view["searchFilter"]
    # The view's own search must be one that MLflow understands, and find the methods alone.
    found = client.search_runs([experiment.experiment_id], view["searchFilter"])
    assert {each.info.run_name for each in found} == {"svm", "constant"}
    (chart,) = view["compareRunCharts"]
    assert chart["metricKey"] in found[0].data.metrics
    assert chart["xAxisKey"] == "step"


def test_groups_have_curves_of_their_mean_and_names_longer_than_databases_take_are_cut(run, client, logged):
    pairs = [{"name": "digits", "pair": pair, "group": "pairs"} for pair in ([4, 7], [3, 5])]
    run(suite={"datasets": pairs, "algorithms": [{"name": "constant", "label": "x" * 600}]})
    reports, (method,) = logged(client)
    panels = ("digits pair 3 5", "digits pair 4 7", "pairs")
    assert set(method.data.metrics) == {f"error/{panel} under greedy-delete" for panel in panels}
    assert [each.info.status for each in (*reports, method)] == ["FINISHED"] * 2
    assert len(method.info.run_name) == 250


@pytest.mark.parametrize(
    ("values", "steps", "key"),
    [
        ([0, 2, 8], [0, 2, 8], "error/wine"),
        ([0.0, 0.1, 0.25], [0, 10, 25], "error/wine in steps of 0.01"),
        (["few", "many"], [0, 1], "error/wine"),
        ([0.1, 1 / 3], [0, 1], "error/wine"),
        ([None], [0], "error/wine"),
    ],
)
def test_the_place_on_the_axis_is_the_step(values, steps, key):
    row = {"dataset": "wine", "dataset_params": {"path": "/home/wine.csv", "target": "y"}, "group": None}
    (panel,) = Panels([{**row, "adversary": "none", "axis_value": value} for value in values])
    assert [panel.step(value) for value in values] == steps
    assert panel.key("error") == key


def test_nothing_new_logs_nothing_and_a_failed_run_says_so(run, client, logged, tiny, unseen):
    (adversary,) = tiny["adversaries"]
    run(suite={"adversaries": [{**adversary, "budgets": [0, 11]}]})
    ((report,), _) = logged(client)
    assert report.info.status == "FAILED"
    fewer = {"adversaries": [{**adversary, "budgets": [0]}]}
    run(suite=fewer)  # of fewer trials: a run of its own
    before = [len(runs) for runs in logged(client)]
    run(suite=fewer)
    assert [len(runs) for runs in logged(client)] == before


def test_a_sink_that_cannot_write_costs_no_trial_and_the_run_is_sent_later(run, client, logged, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.warns(UserWarning, match="tracker 'mlflow'.*benchkit sync .*sends the run later"):
        results = run()
    assert results.ok
    with pytest.raises(TrackingError, match="sends the run later"):
        sync(results.folder)
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    ((outcome, sent, _),) = sync(results.folder)
    assert (outcome, sent.id) == ("sent", results.folder.name)
    (report,), methods = logged(client)
    assert (report.info.status, len(methods)) == ("FINISHED", 2)
    assert sync(results.folder)[0][0] == "already there"
    # What was sent in part, as when the server dies during a run, is replaced.
    client.delete_tag(report.info.run_id, SENT)
    assert sync(results.folder)[0][0] == "sent again"
    (again,), methods_again = logged(client)
    assert len(methods_again) == 2
    ids, new_ids = ({each.info.run_id for each in runs} for runs in ((report, *methods), (again, *methods_again)))
    assert not ids & new_ids


def test_what_a_server_refuses_is_told_once_and_the_rest_is_there(run, client, logged, monkeypatch):
    """An older server takes shorter texts; another has no place for files, or gives no right to it."""
    from mlflow.exceptions import INVALID_PARAMETER_VALUE, MlflowException

    def refuse(self, *arguments):
        raise refusals[len(arguments) % 2]

    answer = requests.Response()
    answer.status_code = 403
    too_long = MlflowException("value exceeds 500", error_code=INVALID_PARAMETER_VALUE)
    refusals = [requests.HTTPError("403 Client Error", response=answer), too_long]
    monkeypatch.setattr(type(client), "log_param", refuse)
    monkeypatch.setattr(type(client), "log_artifact", refuse)
    with pytest.warns(UserWarning, match="MLflow did not take") as warned:
        results = run()
    assert len([each for each in warned if "did not take" in str(each.message)]) == 2
    found = [run for runs in logged(client) for run in runs]  # which lack params
    assert [each.info.status for each in found] == ["FINISHED"] * 3
    assert sum("error/breast under greedy-delete" in each.data.metrics for each in found) == 2
    assert sync(results.folder)[0][0] == "already there"


@pytest.fixture
def results(run):
    return run(suite={"algorithms": ["constant"]}, tracking=False, plots=False)


def test_a_run_with_rows_missing_is_not_finished(results, client, logged):
    journal = results.folder.parent / "trials.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[: len(lines) // 2]))
    (results.folder / "report.html").unlink()
    assert sync(results.folder)[0][0] == "sent"
    ((parent,), _) = logged(client)
    assert parent.info.status == "KILLED"
    assert parent.data.metrics["trials_missing"] == len(lines) - len(lines) // 2
    journal.write_text("".join(lines))
    assert sync(results.folder)[0][0] == "sent again"
    ((parent,), _) = logged(client)
    assert parent.info.status == "FINISHED"
    assert "trials_missing" not in parent.data.metrics


def test_an_experiment_that_was_deleted_is_restored_and_a_database_made_again(results, client, dashboard, logged):
    sync(results.folder)
    client.delete_experiment(client.get_experiment_by_name("tiny").experiment_id)
    said = []
    assert sync(results.folder, said.append)[0][0] == "already there"
    assert said == ["experiment 'tiny' had been deleted in the dashboard; it is restored, with its earlier runs"]
    experiment = client.get_experiment_by_name("tiny")
    assert experiment.lifecycle_stage == "active"
    assert experiment.tags["mlflow.experimentKind"] == "custom_model_development"
    dashboard.unlink()
    assert sync(results.folder)[0][0] == "sent"
    assert len(logged(quiet_mlflow().MlflowClient(f"sqlite:///{dashboard}"))[0]) == 1


def test_what_is_no_file_of_a_run_is_not_sent(results, client, logged, tmp_path, monkeypatch):
    folder = results.folder
    for name in ("points.csv", "tables.md", "suite.yaml"):
        (folder / name).unlink()
    (folder / "points.csv").symlink_to("/dev/zero")
    os.mkfifo(folder / "tables.md")
    (folder / "suite.yaml").symlink_to(tmp_path / "suite.yaml")
    (folder / "plots").mkdir()
    os.mkfifo(folder / "plots" / "curve.svg")
    (folder / "plots" / "other.svg").symlink_to("/dev/zero")
    (folder / "plots" / "third.svg").write_text("<svg/>")
    with (folder / "records.parquet").open("ab") as file:
        file.truncate(2**20 + 1)
    monkeypatch.setattr("benchkit_mlflow.tracking._LARGEST_FILE", 2**20)
    assert sync(folder)[0][0] == "sent"
    ((parent,), _) = logged(client)
    sent = {each.path for each in client.list_artifacts(parent.info.run_id)}
    assert sent == {"manifest.json", "plots", "report.html", "summary.md"}
    assert [each.path for each in client.list_artifacts(parent.info.run_id, "plots")] == ["plots/third.svg"]


def test_killed_in_the_middle_of_creation_the_next_one_succeeds(tmp_path):
    uri, context = f"sqlite:///{tmp_path}/mlflow.db", multiprocessing.get_context("fork")
    quiet_mlflow()  # or the process imports it
    process = context.Process(target=check_reachable, args=(uri,))
    process.start()
    until(lambda: list(tmp_path.rglob("mlflow.db*")))  # fifty migrations take longer than to see their file
    os.kill(process.pid, signal.SIGKILL)
    process.join(PATIENCE)
    assert not (tmp_path / "mlflow.db").exists()
    check_reachable(uri)
    assert quiet_mlflow().MlflowClient(uri).search_experiments() == []  # the experiment Default is out of the way


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.mkdir(), "unable to open database file"),
        (lambda path: path.write_bytes(b"no database at all, but long enough to have a header" * 20), "not a database"),
    ],
    ids=["folder", "foreign"],
)
def test_one_that_cannot_be_opened_is_known_without_mlflow(tmp_path, monkeypatch, make, why):
    """MLflow would try for minutes."""
    monkeypatch.setattr(connection, "quiet_mlflow", lambda: pytest.fail("MLflow was asked"))
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("it waits"))
    make(tmp_path / "mlflow.db")
    with pytest.raises(Exception, match=why):
        check_reachable(f"sqlite:///{tmp_path}/mlflow.db")


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    def on_a_full_disk(uri):
        Path(uri.removeprefix("sqlite:///")).write_bytes(b"half of it")
        raise OSError("No space left on device")

    monkeypatch.setattr(connection, "quiet_mlflow", lambda: SimpleNamespace(MlflowClient=on_a_full_disk))
    with pytest.raises(OSError, match="No space left"):
        check_reachable(f"sqlite:///{tmp_path}/mlflow.db")
    assert [file.name for file in tmp_path.iterdir()] == [".mlflow.db.lock"]
