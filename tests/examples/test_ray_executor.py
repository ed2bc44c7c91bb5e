"""The example that runs trials on a Ray cluster."""

import os
import signal
import time
from pathlib import Path

import pytest

import benchkit
from benchkit import ExecutorUnavailableError, WorkerDiedError
from benchkit.plugin.manager import Registry
from tests.conftest import PATIENCE

EXAMPLE = Path(__file__).parents[2] / "examples" / "ray_executor.py"


@pytest.fixture
def executor():
    return Registry([EXAMPLE]).executors["ray"]


def test_its_rows_are_those_of_the_machine(tiny, write_suite, tmp_path):
    pytest.importorskip("ray")
    suite = write_suite(tiny)
    runs = [
        benchkit.run(suite, out=tmp_path / name, executor=name, jobs=1, plugins=[EXAMPLE], tracking=False, plots=False)
        for name in ("inline", "ray")
    ]
    here, there = ({row["trial"]: (row["status"], row["metrics"]) for row in run.rows} for run in runs)
    assert there == here
    assert {status for status, _ in there.values()} == {"ok"}


def test_an_actor_that_is_lost_costs_what_it_ran(executor):
    pytest.importorskip("ray")
    with executor.build(jobs=1, log=None, memory=None) as running:
        # The process of a function is a child of its actor's fork server.
        actor = running.submit(_grandparent, timeout=None).result(timeout=PATIENCE)
        lost, next_one = running.submit(time.sleep, 3600, timeout=None), running.submit(divmod, 7, 2, timeout=None)
        os.kill(actor, signal.SIGKILL)
        assert isinstance(lost.exception(timeout=PATIENCE), WorkerDiedError)
        assert next_one.result(timeout=PATIENCE) == (3, 1)


def test_a_cluster_that_is_not_there_is_said_to_be_so(executor):
    pytest.importorskip("ray")
    with pytest.raises(ExecutorUnavailableError, match=r"no Ray cluster at 127\.0\.0\.1:1"):
        executor.build(jobs=1, log=None, memory=None, address="127.0.0.1:1").__enter__()


def test_without_the_package_the_command_says_what_to_install(call_benchkit, tmp_path, write_suite, tiny, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    done = call_benchkit(tmp_path, "run", write_suite(tiny), "--plugin", str(EXAMPLE), "--executor", "ray")
    assert done.returncode == 2
    assert "pip install ray" in done.stderr
    assert "Traceback" not in done.stderr


def _grandparent():
    parent = Path(f"/proc/{os.getppid()}/stat").read_text().rsplit(") ", 1)[1]
    return int(parent.split()[1])
