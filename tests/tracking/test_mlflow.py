"""What MLflow shows of a run, read back through its own client."""

import json

import pytest

import benchkit
from benchkit.tracking.mlflow import quiet_mlflow, tracking_uri


@pytest.fixture
def client(tmp_path):
    return quiet_mlflow().MlflowClient(tracking_uri(tmp_path / "runs"))


def run(tiny, write_suite, tmp_path, **options):
    return benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", **options)


def test_one_child_per_curve_with_a_history_along_the_axis(tiny, write_suite, tmp_path, client):
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
    assert {"tables.md", "points.csv", "manifest.json", "records.json"} <= files


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


def test_nothing_new_logs_nothing_and_a_failed_run_says_so(tiny, write_suite, tmp_path, client):
    tiny["adversaries"][0]["budgets"] = [0, 11]
    run(tiny, write_suite, tmp_path)
    experiment = client.get_experiment_by_name("tiny").experiment_id
    parents = [r for r in client.search_runs([experiment]) if "mlflow.parentRunId" not in r.data.tags]
    assert [p.info.status for p in parents] == ["FAILED"]
    tiny["adversaries"][0]["budgets"] = [0]
    before = len(client.search_runs([experiment]))
    run(tiny, write_suite, tmp_path)
    assert len(client.search_runs([experiment])) == before


def test_a_sink_that_cannot_write_costs_no_trial(tiny, write_suite, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/no/such/folder/mlflow.db")
    (tmp_path / "no").write_text("")
    with pytest.warns(UserWarning, match="mlflow-tracking"):
        results = run(tiny, write_suite, tmp_path)
    assert results.ok
