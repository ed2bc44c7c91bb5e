"""Audits in MLflow."""

import pytest
from mlflow import MlflowClient

from benchkit_audit.estimates import Estimate
from benchkit_mlflow.experiments import AUDITS as EXPERIMENT
from benchkit_mlflow.experiments import log_audit


def test_an_audit_is_one_run_with_its_intervals_however_often_it_is_logged(dashboard):
    folder = dashboard.parent / "it's mine"
    folder.mkdir()
    (folder / "report.html").write_text("<p>")
    client = MlflowClient(f"sqlite:///{dashboard}")
    for loss in (0.3, 0.2):
        measures = {"loss": Estimate(loss, 0.1, 0.4, 90), "row-worst-2": Estimate(0.5, 0.4, 0.6, 90)}
        log_audit(folder, "Audit of mine", measures, pytest.fail)
    experiment = client.get_experiment_by_name(EXPERIMENT)
    (run,) = client.search_runs([experiment.experiment_id])
    assert run.data.metrics == {
        "loss": 0.2,
        "loss.low": 0.1,
        "loss.high": 0.4,
        "row-worst-2": 0.5,
        "row-worst-2.low": 0.4,
        "row-worst-2.high": 0.6,
    }
    assert (run.info.run_name, run.info.status) == ("Audit of mine", "FINISHED")
    assert [each.path for each in client.list_artifacts(run.info.run_id)] == ["report.html"]
    client.delete_experiment(experiment.experiment_id)
    warnings = []
    log_audit(folder, "Audit of mine", {}, warnings.append)
    assert len(client.search_runs([experiment.experiment_id])) == len(warnings) == 1
