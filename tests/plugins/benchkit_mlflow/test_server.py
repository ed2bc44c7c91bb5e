"""Where the dashboard is, and what it shows."""

import logging
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchkit import TrackingError
from benchkit.execute import process_tree
from benchkit.plugin.spec import Run
from benchkit.session.past import sync
from benchkit_mlflow.connection import VARIABLE, explained, hide_secrets, masked, quiet_mlflow, sqlite_file
from benchkit_mlflow.experiments import VIEW
from benchkit_mlflow.serve import _server, check_port, server_address
from tests.conftest import PATIENCE, until


@pytest.fixture
def out(created_database, tmp_path):
    """An output folder whose dashboard has two suites."""
    (tmp_path / "mlflow.db").write_bytes(created_database)
    client = quiet_mlflow().MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    for name in ("first", "second"):
        client.set_experiment_tag(client.create_experiment(name), VIEW, "{}")
    return tmp_path


def test_it_says_that_it_listens_has_a_run_once_and_is_stopped(out, free_port, run, dashboard, logged, monkeypatch):
    """A run goes to an MLflow server over HTTP as it goes to a database."""
    command = [sys.executable, "-m", "benchkit", "ui", "--out", out, "--port", str(free_port), "--suite", "first"]
    process = subprocess.Popen(command, cwd=out, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = f"http://127.0.0.1:{free_port}"
    try:
        assert process.stdout.readline().startswith(f"runs: {address}/#/experiments/1/runs?"), process.stderr.read()
        dashboard.unlink()
        monkeypatch.setenv(VARIABLE, address)
        results = run()
        assert not dashboard.exists()
        assert sync(results.folder)[0][0] == "already there"
        client = quiet_mlflow().MlflowClient(address)
        (report,), methods = logged(client)
        assert report.data.metrics["trials_ok"] == 8
        key = "error/breast under greedy-delete"
        assert all(len(client.get_metric_history(method.info.run_id, key)) == 2 for method in methods)
        assert "report.html" in {file.path for file in client.list_artifacts(report.info.run_id)}
    finally:
        process.send_signal(signal.SIGTERM)
    rest, errors = process.communicate(timeout=PATIENCE)
    assert (rest, errors, process.returncode) == ("", "", 0)
    check_port("127.0.0.1", free_port)  # free again


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_no_server_is_left_when_benchkit_is_killed(tmp_path):
    """A command that waits stands for MLflow's, whose start takes half a minute."""
    started = tmp_path / "started"
    waits = "import os, sys, time; os.symlink(str(os.getpid()), sys.argv[1]); time.sleep(3600)"
    program = (
        "import subprocess, sys\n"
        "from benchkit_mlflow import serve\n"
        "real = subprocess.Popen\n"
        "def popen(command, **options):\n"
        f"    command[command.index('mlflow') - 1:] = ['-c', {waits!r}, {str(started)!r}]\n"
        "    return real(command, **options)\n"
        "subprocess.Popen = popen\n"
        "with serve._server('sqlite://', '127.0.0.1', 9) as (running, _):\n"
        "    running.wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        until(started.is_symlink)
        child = int(os.readlink(started))
        assert Path(f"/proc/{child}").exists()
        process.kill()
    until(lambda: not process_tree.members(child))


def test_what_cannot_be_served_is_one_line(out, free_port, call_benchkit):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        taken = (port, [], f"port {port}: .*--port {port + 1}")
        absent = (free_port, ["--suite", "third"], "benchkit: no suite third in the dashboard; it has first, second$")
        for port, more, expected in (taken, absent):
            done = call_benchkit(out, "ui", "--out", ".", "--port", str(port), *more)
            assert (done.stdout, done.returncode, done.stderr.count("\n")) == ("", 1, 1)
            assert re.search(expected, done.stderr)


def test_a_host_that_is_not_here_is_one_line_and_those_that_are_have_an_address():
    with pytest.raises(TrackingError, match="cannot listen at --host 203.0.113.1, port 5000"):
        check_port("203.0.113.1", 5000)
    addresses = [server_address(host, 80) for host in ("0.0.0.0", "::", "db.example")]
    assert addresses == ["http://127.0.0.1:80", "http://[::1]:80", "http://db.example:80"]


def test_the_password_is_in_no_command_line(free_port):
    with _server("postgresql://ann:s3cret@127.0.0.1:9/mlflow", "127.0.0.1", free_port) as (process, _):
        assert "s3cret" not in " ".join(process.args)


@pytest.mark.parametrize(
    ("uri", "printed"),
    [
        ("postgresql://ann:s3cret@db/mlflow", "postgresql://***@db/mlflow"),
        ("postgresql+psycopg2://ann:s3%40cret@db:5432/mlflow", "postgresql+psycopg2://***@db:5432/mlflow"),
        ("http://ann:s3/c@ret@host:5000", "http://***@host:5000"),  # not quoted as it should be
        ("https://s3cret@host/path", "https://***@host/path"),  # a token
        ("mysql://db/runs?user=ann&password=s3cret&charset=utf8", "mysql://db/runs?user=ann&password=***&charset=utf8"),
        ("http://host:5000", "http://host:5000"),
        ("sqlite:////tmp/runs/mlflow.db", "sqlite:////tmp/runs/mlflow.db"),
    ],
)
def test_an_address_is_printed_without_secrets(uri, printed):
    assert masked(uri) == printed


def test_a_message_hides_the_password_as_written_and_as_decoded_and_only_sqlite_has_a_file(monkeypatch):
    uri = "postgresql://ann:s3%40cret@db/mlflow"
    message = "no connection as ann with s3@cret to postgresql://ann:s3%40cret@db/mlflow"
    assert hide_secrets(message, uri) == "no connection as ann with *** to postgresql://***@db/mlflow"
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "t0ken")
    assert hide_secrets("refused: t0ken", "http://host") == "refused: ***"
    assert str(sqlite_file("sqlite:////tmp/a b/mlflow.db?timeout=3")) == "/tmp/a b/mlflow.db"
    assert sqlite_file("sqlite:///:memory:") is None
    assert sqlite_file("postgresql://db/mlflow") is None


def test_an_error_its_traceback_and_log_lines_of_mlflow_hide_the_password(monkeypatch, tmp_path, capsys):
    folder = tmp_path / "runs" / "tiny" / "1"
    names = {"suite": "tiny", "title": "", "profile": "", "id": "1", "command": ""}
    a_run = Run(**names, folder=folder, out=tmp_path / "runs", planned={}, metrics=("error",), reused=(), results=list)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://ann:s3cret@127.0.0.1:9")
    with pytest.raises(TrackingError) as raised, explained(a_run):
        raise ConnectionError("API request to http://ann:s3cret@127.0.0.1:9/api failed")
    address = "http://***@127.0.0.1:9"
    assert str(raised.value).endswith(f"MLflow at {address}: ConnectionError: API request to {address}/api failed")
    assert raised.value.__suppress_context__
    quiet_mlflow()
    try:
        raise ConnectionError("s3cret")
    except ConnectionError:
        logging.getLogger("mlflow.tracking").exception("asked %s", "http://ann:s3cret@127.0.0.1:9")
    printed = capsys.readouterr().err
    assert "asked http://***@127.0.0.1:9" in printed
    assert "s3cret" not in printed
