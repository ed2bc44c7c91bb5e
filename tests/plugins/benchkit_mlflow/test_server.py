"""``benchkit ui`` says one line when its server listens, and one line when it cannot."""

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
from benchkit.session.past import sync
from benchkit_mlflow.connection import VARIABLE, quiet_mlflow
from benchkit_mlflow.experiments import VIEW
from benchkit_mlflow.serve import _server, check_port, server_address
from tests.conftest import PATIENCE, until


@pytest.fixture
def taken_port():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def out(created_database, tmp_path):
    """An output folder whose dashboard has two suites."""
    (tmp_path / "mlflow.db").write_bytes(created_database)
    client = quiet_mlflow().MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    for name in ("first", "second"):
        client.set_experiment_tag(client.create_experiment(name), VIEW, "{}")
    return tmp_path


def test_one_line_when_it_listens_a_run_is_on_it_once_and_no_server_is_left_when_it_is_stopped(
    out, free_port, run, dashboard, logged, monkeypatch
):
    """A run goes to an MLflow server over HTTP as it goes to a database."""
    command = [sys.executable, "-m", "benchkit", "ui", "--out", out, "--port", str(free_port), "--suite", "first"]
    process = subprocess.Popen(command, cwd=out, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = f"http://127.0.0.1:{free_port}"
    try:
        line = process.stdout.readline()
        assert line.startswith(f"runs: {address}/#/experiments/1/runs?"), process.stderr.read()
        dashboard.unlink()
        monkeypatch.setenv(VARIABLE, address)
        results = run()
        assert not dashboard.exists()
        assert sync(results.folder)[0][0] == "already there"
        client = quiet_mlflow().MlflowClient(address)
        (report,), methods = logged(client)
        assert report.data.metrics["trials_ok"] == 8
        assert {method.info.run_name for method in methods} == {"svm", "constant"}
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
    program = (
        "import subprocess, sys\n"
        "from benchkit_mlflow import serve\n"
        "real = subprocess.Popen\n"
        "def popen(command, **options):\n"
        f"    command[command.index('mlflow') - 1:] = ['-c', {WAITS!r}, {str(started)!r}]\n"
        "    return real(command, **options)\n"
        "subprocess.Popen = popen\n"
        "with serve._server('sqlite://', '127.0.0.1', 9) as (running, _):\n"
        "    running.wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        until(started.exists)
        child = int(started.read_text())
        assert Path(f"/proc/{child}").exists()
        process.kill()
    until(lambda: not process_tree.members(child))


WAITS = """
import os, sys, time
with open(sys.argv[1] + ".partial", "w") as file:
    file.write(str(os.getpid()))
os.rename(file.name, sys.argv[1])
time.sleep(3600)
"""


def test_what_cannot_be_served_is_one_line(out, taken_port, free_port, call_benchkit):
    taken = (taken_port, [], f"port {taken_port}: .*--port {taken_port + 1}")
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


def test_the_password_is_in_no_command_line(free_port, monkeypatch):
    monkeypatch.setenv(VARIABLE, "postgresql://ann:s3cret@127.0.0.1:9/mlflow")
    with _server(os.environ[VARIABLE], "127.0.0.1", free_port):
        command_lines = Path("/proc").glob("[0-9]*/cmdline")
        assert not [path for path in command_lines if b"s3cret" in _read(path)]


def _read(path):
    try:
        return path.read_bytes()
    except OSError:  # the process ended
        return b""
