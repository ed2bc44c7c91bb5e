"""A run that is sent after it ended says what it is, and where it went."""

import os

import pytest

from benchkit.errors import JournalError
from benchkit.session.past import sync
from benchkit_mlflow.connection import quiet_mlflow


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


def test_an_experiment_that_was_deleted_is_restored_and_said(results, client):
    sync(results.folder)
    client.delete_experiment(client.get_experiment_by_name("tiny").experiment_id)
    said = []
    assert sync(results.folder, said.append)[0][0] == "already there"
    assert said == ["experiment 'tiny' had been deleted in the dashboard; it is restored, with its earlier runs"]
    experiment = client.get_experiment_by_name("tiny")
    assert experiment.lifecycle_stage == "active"
    assert experiment.tags["mlflow.experimentKind"] == "custom_model_development"


def test_a_database_that_was_deleted_within_one_session_is_made_again(results, dashboard, logged):
    sync(results.folder)
    dashboard.unlink()
    assert sync(results.folder)[0][0] == "sent"
    assert len(logged(quiet_mlflow().MlflowClient(f"sqlite:///{dashboard}"))[0]) == 1


def test_a_stranger_s_report_is_written_to_no_device(results, client, logged):
    (results.folder / "report.html").unlink()  # it is written by the one who sends it
    (results.folder / "plots").symlink_to("/dev/full")
    with pytest.raises(JournalError, match="plots is no folder of a report but a link, a device or"):
        sync(results.folder)
    assert logged(client) == ([], [])


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
    assert {each.path for each in client.list_artifacts(parent.info.run_id)} == {
        *("manifest.json", "plots", "report.html", "summary.md")
    }
    assert [each.path for each in client.list_artifacts(parent.info.run_id, "plots")] == ["plots/third.svg"]
