"""What MLflow shows of a run, read back through its own client."""

import json
import multiprocessing
import os
import signal

import pytest

import benchkit
from benchkit import TrackingError
from benchkit.session.past.sync import sync
from benchkit.session.progress import Silent
from benchkit_mlflow.address import tracking_uri
from benchkit_mlflow.data_sets import data_sets
from benchkit_mlflow.listener import SENT
from benchkit_mlflow.quiet import quiet_mlflow


@pytest.fixture
def client(dashboard, tmp_path):
    return quiet_mlflow().MlflowClient(tracking_uri(tmp_path / "runs"))


def run(tiny, write_suite, tmp_path, **options):
    return benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", **{"tracking": True, **options})


def test_one_child_per_curve_with_a_history_along_the_axis(tiny, write_suite, tmp_path, client):
    tiny["expect"] = [{"claim": "it holds", "order": ["svm", "constant"], "at": [9]}]
    results = run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny")
    found = client.search_runs([experiment.experiment_id])
    children = {r.info.run_name: r for r in found if "mlflow.parentRunId" in r.data.tags}
    assert set(children) == {"breast | svm | greedy-delete", "breast | constant | greedy-delete"}
    (parent,) = [r for r in found if "mlflow.parentRunId" not in r.data.tags]
    assert parent.info.status == "FINISHED"
    assert parent.data.metrics["trials_ok"] == 8
    child = children["breast | svm | greedy-delete"]
    assert child.data.params["algorithm"] == "svm"
    history = client.get_metric_history(child.info.run_id, "error")
    means = [point.mean for point in results.points() if point.algorithm == "svm"]
    assert [(m.step, m.value) for m in sorted(history, key=lambda m: m.step)] == [
        (0, pytest.approx(means[0])),
        (1, pytest.approx(means[1])),
    ]
    axis = client.get_metric_history(child.info.run_id, "axis budget")
    assert [m.value for m in sorted(axis, key=lambda m: m.step)] == [0, 2]
    files = {file.path for file in client.list_artifacts(parent.info.run_id)}
    assert {"tables.md", "points.csv", "manifest.json", "records.json", "report.html", "records.parquet"} <= files
    note = parent.data.tags["mlflow.note.content"]
    assert "| not run | it holds |" in note
    assert "2 repetitions are too few" in note


def test_the_views_name_the_newest_run(tiny, write_suite, tmp_path, client):
    first = run(tiny, write_suite, tmp_path)
    second = run(tiny, write_suite, tmp_path, fresh=True)
    tags = client.get_experiment_by_name("tiny").tags
    view = json.loads(tags["mlflow.sharedViewState.benchkit-1"])
    assert second.folder.name in view["searchFilter"]
    assert first.folder.name not in view["searchFilter"]
    # The view's own search must be one that MLflow understands, and find the curves.
    experiment = client.get_experiment_by_name("tiny").experiment_id
    assert len(client.search_runs([experiment], view["searchFilter"])) == 2
    everything = json.loads(tags["mlflow.sharedViewState.benchkit"])
    assert len(client.search_runs([experiment], everything["searchFilter"])) == 2


def test_groups_have_curves_of_their_mean(tiny, write_suite, tmp_path, client):
    tiny["datasets"] = [
        {"name": "digits", "pair": [4, 7], "group": "pairs"},
        {"name": "digits", "pair": [3, 5], "group": "pairs"},
    ]
    tiny["algorithms"] = ["constant"]
    run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    names = {r.info.run_name for r in client.search_runs([experiment]) if "mlflow.parentRunId" in r.data.tags}
    assert "pairs | constant | greedy-delete" in names
    assert len(names) == 3


def test_nothing_new_logs_nothing_and_a_failed_run_says_so(tiny, write_suite, tmp_path, client, unseen):
    tiny["adversaries"][0]["budgets"] = [0, 11]
    run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    parents = [r for r in client.search_runs([experiment]) if "mlflow.parentRunId" not in r.data.tags]
    assert [p.info.status for p in parents] == ["FAILED"]
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
    (parent,) = [r for r in found if "mlflow.parentRunId" not in r.data.tags]
    assert parent.info.status == "FINISHED"
    assert sync(results.folder)[0][0] == "already there"
    # What was sent in part, as when the server dies during a run, is replaced.
    client.delete_tag(parent.info.run_id, SENT)
    assert sync(results.folder)[0][0] == "sent again"
    again = client.search_runs([experiment])
    assert len(again) == 3
    assert not {r.info.run_id for r in again} & {r.info.run_id for r in found}


@pytest.mark.whole
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


class Watch(Silent):
    def __init__(self):
        self.warnings = []

    def warn(self, message):
        self.warnings.append(message)


class Killing(Silent):
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


def test_data_sets_have_a_name_and_a_digest_and_are_found_by_them(tiny, write_suite, tmp_path, client):
    run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    found = client.search_runs([experiment], "dataset.name = 'breast'")
    assert len(found) == 3  # two curves and the run
    digests = {each.dataset.digest for one in found for each in one.inputs.dataset_inputs}
    assert len(digests) == 1
    assert len(client.search_runs([experiment], f"dataset.digest = '{digests.pop()}'")) == 3


def test_each_method_is_a_model_with_its_mean_on_each_data_set(tiny, write_suite, tmp_path, client):
    results = run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    models = {model.name: model for model in client.search_logged_models([experiment])}
    assert set(models) == {"svm", "constant"}
    (metric,) = models["svm"].metrics
    assert (metric.key, metric.dataset_name) == ("mean error under greedy-delete", "breast")
    means = [point.mean for point in results.points() if point.algorithm == "svm"]
    assert metric.value == pytest.approx(sum(means) / 2)  # the area of two points over their distance
    assert models["svm"].status == "READY"


def test_a_run_that_is_sent_again_leaves_one_model_of_each_method(tiny, write_suite, tmp_path, client):
    results = run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    (parent,) = [r for r in client.search_runs([experiment]) if SENT in r.data.tags]
    client.set_tag(parent.info.run_id, SENT, "of an earlier state")
    assert sync(results.folder)[0].outcome == "sent again"
    assert sorted(model.name for model in client.search_logged_models([experiment])) == ["constant", "svm"]


def test_other_data_of_the_same_name_has_another_digest():
    row = {"dataset": "d", "dataset_params": {"n": 3}, "n_rows": 9}
    design = {"question": {"dataset": {"name": "d"}}, "code": {"data": "1"}, "files": {"d.csv": "aa"}}
    changed = design | {"files": {"d.csv": "bb"}}
    (first,) = data_sets([row, row], {"x": design}).values()
    (again,) = data_sets([row], {"y": design}).values()
    (other,) = data_sets([row], {"x": changed}).values()
    (fewer,) = data_sets([row | {"dataset_params": {"n": 2}}], {"x": design}).values()
    assert first.digest == again.digest
    assert len({first.digest, other.digest, fewer.digest}) == 3
