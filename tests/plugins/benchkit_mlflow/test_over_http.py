"""A run goes to an MLflow server over HTTP as it goes to a database."""

import os
import subprocess
import sys
import urllib.request
from contextlib import suppress

import pytest

from benchkit.session.past import sync
from benchkit_mlflow.connection import quiet_mlflow
from tests.conftest import PATIENCE, until


@pytest.fixture
def server(tmp_path, free_port, created_database):
    """The address of an MLflow server with a database and an artifact store of its own."""
    folder = tmp_path / "server"
    folder.mkdir()
    (folder / "s.db").write_bytes(created_database)  # or the server takes its time to create one
    options = f"--backend-store-uri sqlite:///s.db --artifacts-destination files --port {free_port} --workers 1"
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", *options.split()],
            cwd=folder,
            env={**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"},  # processes that no run needs
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            until(lambda: process.poll() is not None or _answers(f"http://127.0.0.1:{free_port}/health"))
            assert process.poll() is None, (folder / "log.txt").read_text()[-2000:]
            yield f"http://127.0.0.1:{free_port}"
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _answers(address):
    with suppress(OSError), urllib.request.urlopen(address, timeout=5):
        return True


def test_a_run_is_on_the_server_once_with_its_curves_and_files(server, run, dashboard, logged, monkeypatch):
    dashboard.unlink()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", server)
    results = run()
    assert not dashboard.exists()
    assert sync(results.folder)[0][0] == "already there"
    client = quiet_mlflow().MlflowClient(server)
    (report,), methods = logged(client)
    assert report.data.metrics["trials_ok"] == 8
    assert {method.info.run_name for method in methods} == {"svm", "constant"}
    key = "error/breast under greedy-delete"
    assert all(len(client.get_metric_history(method.info.run_id, key)) == 2 for method in methods)
    assert "report.html" in {file.path for file in client.list_artifacts(report.info.run_id)}
