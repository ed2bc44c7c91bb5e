"""What MLflow shows of a run, read back through its own client."""

import json
import multiprocessing
import os
import signal

import pytest
import requests
from mlflow.exceptions import INVALID_PARAMETER_VALUE, MlflowException

import benchkit
from benchkit import TrackingError
from benchkit.session.listeners import Progress
from benchkit.session.past import sync
from benchkit_mlflow.connection import quiet_mlflow, tracking_uri
from benchkit_mlflow.experiments import Panels
from benchkit_mlflow.tracking import SENT


@pytest.fixture
def client(dashboard, tmp_path):
    return quiet_mlflow().MlflowClient(tracking_uri(tmp_path / "runs"))


def run(tiny, write_suite, tmp_path, **options):
    return benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", **{"tracking": True, **options})


def own(runs):
    """Of the runs of one invocation the one with its files."""
    (found,) = [run for run in runs if "algorithm" not in run.data.params]
    return found


def test_a_run_per_method_with_a_curve_for_each_panel_and_metric(tiny, write_suite, tmp_path, client):
    tiny["expect"] = [{"claim": "it holds", "order": ["svm", "constant"], "at": [9]}]
    tiny["title"] = "![](http://elsewhere/x.png)"
    results = run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny")
    found = client.search_runs([experiment.experiment_id])
    methods = {r.info.run_name: r for r in found if "algorithm" in r.data.params}
    assert set(methods) == {"svm", "constant"}
    report = own(found)
    assert report.info.status == "FINISHED"
    assert "![](" not in experiment.tags["mlflow.note.content"]  # no image, which a browser would fetch
    assert report.data.metrics == {"trials_ok": 8}
    assert set(methods["svm"].data.metrics) == {"error/breast under greedy-delete"}
    history = client.get_metric_history(methods["svm"].info.run_id, "error/breast under greedy-delete")
    means = [point.mean for point in results.points() if point.algorithm == "svm"]
    assert [(m.step, m.value) for m in sorted(history, key=lambda m: m.step)] == [
        (0, pytest.approx(means[0])),
        (2, pytest.approx(means[1])),
    ]
    files = {file.path for file in client.list_artifacts(report.info.run_id)}
    assert {"tables.md", "points.csv", "manifest.json", "report.html", "records.parquet"} <= files
    note = report.data.tags["mlflow.note.content"]
    assert "not run" in note
    assert "it holds" in note


def test_the_view_shows_the_methods_of_the_newest_run(tiny, write_suite, tmp_path, client):
    first = run(tiny, write_suite, tmp_path)
    second = run(tiny, write_suite, tmp_path, fresh=True)
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


def test_groups_have_curves_of_their_mean(tiny, write_suite, tmp_path, client):
    tiny["datasets"] = [
        {"name": "digits", "pair": [4, 7], "group": "pairs"},
        {"name": "digits", "pair": [3, 5], "group": "pairs"},
    ]
    tiny["algorithms"] = ["constant"]
    run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    (method,) = client.search_runs([experiment], "params.algorithm = 'constant'")
    assert set(method.data.metrics) == {
        "error/digits pair 3 5 under greedy-delete",
        "error/digits pair 4 7 under greedy-delete",
        "error/pairs under greedy-delete",
    }


def test_names_longer_than_databases_take_are_cut(tiny, write_suite, tmp_path, client):
    tiny.update(algorithms=[{"name": "constant", "label": "x" * 600}], adversaries=[])
    run(tiny, write_suite, tmp_path)
    found = client.search_runs([client.get_experiment_by_name("tiny").experiment_id])
    assert [each.info.status for each in found] == ["FINISHED"] * 2
    assert max(len(each.info.run_name) for each in found) == 250


def planned(values, **fields):
    row = {"dataset": "wine", "dataset_params": {"path": "/home/wine.csv", "target": "y"}, "group": None}
    return [{**row, "adversary": "none", "axis_value": value, **fields} for value in values]


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
    (panel,) = Panels(planned(values))
    assert [panel.step(value) for value in values] == steps
    assert panel.key("error") == key


def test_nothing_new_logs_nothing_and_a_failed_run_says_so(tiny, write_suite, tmp_path, client, unseen):
    tiny["adversaries"][0]["budgets"] = [0, 11]
    run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    assert own(client.search_runs([experiment])).info.status == "FAILED"
    tiny["adversaries"][0]["budgets"] = [0]
    run(tiny, write_suite, tmp_path)  # of fewer trials: a run of its own
    before = len(client.search_runs([experiment]))
    run(tiny, write_suite, tmp_path)
    assert len(client.search_runs([experiment])) == before


def test_a_sink_that_cannot_write_costs_no_trial_and_the_run_is_sent_later(
    tiny, write_suite, tmp_path, monkeypatch, client
):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.warns(UserWarning, match="tracker 'mlflow'.*benchkit sync .*sends the run later"):
        results = run(tiny, write_suite, tmp_path)
    assert results.ok
    with pytest.raises(TrackingError, match="sends the run later"):
        sync(results.folder)
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    ((outcome, sent, _),) = sync(results.folder)
    assert (outcome, sent.id) == ("sent", results.folder.name)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    found = client.search_runs([experiment])
    assert len(found) == 3
    report = own(found)
    assert report.info.status == "FINISHED"
    assert sync(results.folder)[0][0] == "already there"
    # What was sent in part, as when the server dies during a run, is replaced.
    client.delete_tag(report.info.run_id, SENT)
    assert sync(results.folder)[0][0] == "sent again"
    again = client.search_runs([experiment])
    assert len(again) == 3
    assert not {r.info.run_id for r in again} & {r.info.run_id for r in found}


def test_what_a_server_refuses_is_told_once_and_the_rest_is_there(tiny, write_suite, tmp_path, monkeypatch, client):
    """An older server takes shorter texts; another has no place for files, or gives no right to it."""

    def refuse(self, *arguments):
        raise refusals[len(arguments) % 2]

    answer = requests.Response()
    answer.status_code = 403
    too_long = MlflowException("value exceeds 500", error_code=INVALID_PARAMETER_VALUE)
    refusals = [requests.HTTPError("403 Client Error", response=answer), too_long]
    monkeypatch.setattr(type(client), "log_param", refuse)
    monkeypatch.setattr(type(client), "log_artifact", refuse)
    with pytest.warns(UserWarning, match="MLflow did not take") as warned:
        results = run(tiny, write_suite, tmp_path)
    assert len([each for each in warned if "did not take" in str(each.message)]) == 2
    found = client.search_runs([client.get_experiment_by_name("tiny").experiment_id])
    assert [each.info.status for each in found] == ["FINISHED"] * 3
    assert sum("error/breast under greedy-delete" in each.data.metrics for each in found) == 2
    assert sync(results.folder)[0][0] == "already there"


def test_a_run_after_the_experiment_was_deleted_is_tracked(tiny, write_suite, tmp_path, client):
    first = run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    client.delete_experiment(experiment)
    watch = Watch()
    second = run(tiny, write_suite, tmp_path, fresh=True, progress=watch)
    assert watch.warnings == [
        "experiment 'tiny' had been deleted in the dashboard; it is restored, with its earlier runs"
    ]
    found = client.search_runs([experiment])
    assert {each.data.tags["benchkit.run"] for each in found} == {first.folder.name, second.folder.name}
    assert {each.info.status for each in found} == {"FINISHED"}


class Watch(Progress):
    def __init__(self):
        self.warnings = []

    def warn(self, message):
        self.warnings.append(message)


class Killing(Progress):
    """Ends this process without a word in the middle of a run."""

    def __init__(self, after):
        self.left = after

    def finished(self, record):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def test_a_run_that_was_killed_is_so_in_the_dashboard_once_the_next_one_starts(
    tiny, write_suite, tmp_path, client, monkeypatch
):
    def to_be_killed():
        run(tiny, write_suite, tmp_path, progress=Killing(6))

    def found():
        runs = client.search_runs([client.get_experiment_by_name("tiny").experiment_id])
        return {(each.data.tags["benchkit.run"], each.info.status) for each in runs}

    process = multiprocessing.get_context("fork").Process(target=to_be_killed)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    ((killed, status),) = found()
    assert status == "RUNNING"
    with monkeypatch.context() as patch:  # a run of another journal knows nothing of it
        patch.setenv("MLFLOW_TRACKING_URI", tracking_uri(tmp_path / "runs"))
        other = run(tiny, write_suite, tmp_path / "elsewhere")
    assert found() == {(killed, "RUNNING"), (other.folder.name, "FINISHED")}
    newest = run(tiny, write_suite, tmp_path)
    assert (newest.ran, newest.reused) == (2, 6)
    assert found() == {(killed, "KILLED"), (other.folder.name, "FINISHED"), (newest.folder.name, "FINISHED")}
