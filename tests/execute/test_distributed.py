"""A dask cluster: the same records as on one machine, and a lost worker costs its trials a retry."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import CancelledError
from contextlib import contextmanager

import pytest

import benchkit
from benchkit.execute.executor import ExecutorUnavailableError, OverTimeError
from benchkit.suite.source import SuiteError

distributed = pytest.importorskip("distributed")

PLUGIN = """
import os, signal, time
from pathlib import Path
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Algorithm, hookimpl

class Fault(ClassifierMixin, BaseEstimator):
    def __init__(self, kind="none", started=""):
        self.kind, self.started = kind, started
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.kind == "raise":
            raise RuntimeError("the solver says no")
        if self.kind == "exit":
            os._exit(3)
        if self.kind == "sleep":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        if self.kind == "wait":
            Path(self.started).touch()
            time.sleep(2)
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[0])

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="fault", make=Fault)]
"""


UNTIL_THERE = """
import os, time
while not os.path.exists({path!r}):
    time.sleep(0.01)
"""


@pytest.fixture
def options(tiny, write_suite, write_plugin, tmp_path):
    """Arguments of `benchkit.run`, but for where it runs."""

    def make(algorithms, repetitions=2):
        content = {**tiny, "algorithms": algorithms, "adversaries": []}
        content["split"] = {**tiny["split"], "repetitions": repetitions}
        return {
            "suite": write_suite(content),
            "plugins": [write_plugin(PLUGIN)],
            "out": tmp_path / "dask",
            "tracking": False,
        }

    return make


def outcome(results):
    return [(row["trial"], row["status"], row["metrics"], row["error"]) for row in results.records]


@pytest.mark.filterwarnings("ignore")
def test_the_same_records_as_on_one_machine(options, tmp_path):
    kinds = [{"name": "fault", "label": kind, "params": {"kind": kind}} for kind in ("none", "raise", "exit", "sleep")]
    arguments = options([*kinds, "constant"], repetitions=1)
    cluster = benchkit.run(**arguments, executor="dask", jobs=2, timeout=10)
    local = benchkit.run(**{**arguments, "out": tmp_path / "local"}, jobs=2, timeout=10)
    assert cluster.statuses == {"ok": 2, "failed": 1, "crashed": 1, "timeout": 1}
    assert outcome(cluster) == outcome(local)
    assert all(row["peak_mb"] > 10 for row in cluster.records if row["status"] == "ok")


def test_every_trial_has_a_row_though_the_scheduler_is_killed(options, tmp_path):
    started = tmp_path / "started"
    waits = [
        {"name": "fault", "label": f"wait-{place}", "params": {"kind": "wait", "started": str(started)}}
        for place in range(4)
    ]
    address, here = f"tcp://127.0.0.1:{free_port()}", [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    there = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    port = ["--port", address.rpartition(":")[2], "--no-dashboard"]
    with subprocess.Popen([*here, *port], **quiet) as scheduler, subprocess.Popen(there, **quiet) as worker:

        def kill():
            while not started.exists():
                time.sleep(0.02)
            scheduler.kill()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        try:
            results = benchkit.run(**options(waits, repetitions=5), executor="dask", scheduler=address)
        finally:
            scheduler.kill()
            worker.terminate()
    assert len(results.records) == 20
    assert results.statuses.keys() <= {"ok", "crashed"}
    assert results.statuses["crashed"] >= 10
    assert any("scheduler" in row["error"] for row in results.records if row["status"] == "crashed")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.filterwarnings("ignore")
def test_a_dask_worker_killed_in_mid_trial(options, tmp_path):
    started = tmp_path / "started"
    arguments = options([{"name": "fault", "params": {"kind": "wait", "started": str(started)}}], repetitions=4)
    with make_cluster() as cluster, distributed.Client(cluster) as client:
        (victim, *_) = client.run(os.getpid).values()

        def kill():
            while not started.exists():
                time.sleep(0.02)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        results = benchkit.run(**arguments, executor="dask", scheduler=cluster.scheduler_address)
        killer.join()
        with pytest.raises(ProcessLookupError):
            os.kill(victim, 0)
    assert results.statuses == {"ok": 4}, [(row["status"], row["error_type"], row["error"]) for row in results.records]


@contextmanager
def make_cluster():
    """Workers as dask starts them: daemons, which multiprocessing forbids to start processes."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=None, silence_logs="CRITICAL"
    ) as cluster:
        yield cluster


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (CancelledError(), "the dask scheduler cancelled it, or is gone"),
        (ConnectionResetError("reset by peer"), "the dask scheduler is gone: reset by peer"),
    ],
)
def test_a_task_that_is_cancelled_or_lost_with_its_scheduler_is_a_death(problem, reason):
    from benchkit.execute.distributed import _outcomes

    class Remote:
        def result(self):
            raise problem

    outcomes, brief, lost = _outcomes(Remote())
    assert (outcomes, brief) == ([], False)
    assert isinstance(lost, benchkit.WorkerDiedError)
    assert str(lost) == reason


@pytest.mark.filterwarnings("ignore")
def test_nothing_waits_behind_a_call_that_turns_out_long(tmp_path):
    from benchkit.execute.distributed import DaskExecutor

    with DaskExecutor(None, jobs=2) as executor:
        brief = [executor.submit(divmod, number, 3, timeout=None) for number in range(40)]
        assert [future.result(60) for future in brief] == [divmod(number, 3) for number in range(40)]
        before = [executor.submit(divmod, number, 3, timeout=None) for number in range(20)]
        waiting = UNTIL_THERE.format(path=str(tmp_path / "enough"))
        long = executor.submit(exec, waiting, timeout=None)
        after = [executor.submit(divmod, number, 3, timeout=None) for number in range(40)]
        assert [future.result(60) for future in before + after] == [divmod(n, 3) for n in [*range(20), *range(40)]]
        assert long.running()
        assert not long.done()
        (tmp_path / "enough").touch()
        long.result(30)
        late = executor.submit(time.sleep, 60, timeout=0.3)
        with pytest.raises(OverTimeError):
            late.result(30)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_ones_own_listens_to_this_machine_alone_and_has_no_dashboard():
    from benchkit.execute.distributed import DaskExecutor

    with DaskExecutor(None, jobs=1) as executor:
        known = executor._client.scheduler_info()
        addresses = [known["address"], *(worker for worker in known["workers"])]
        assert len(addresses) == 2
        assert all(address.startswith("tcp://127.0.0.1:") for address in addresses)
        with pytest.raises(urllib.error.HTTPError, match="404"):  # the dashboard; dask's plain pages are there
            urllib.request.urlopen(f"http://127.0.0.1:{known['services']['dashboard']}/status", timeout=30)


def test_no_scheduler_there(options):
    with pytest.raises(ExecutorUnavailableError, match="no dask scheduler at tcp://127.0.0.1:9"):
        benchkit.run(**options(["constant"]), executor="dask", scheduler="tcp://127.0.0.1:9")


def test_a_scheduler_belongs_to_dask(options):
    with pytest.raises(SuiteError, match="--executor local does not take --scheduler"):
        benchkit.run(**options(["constant"]), scheduler="tcp://127.0.0.1:9")
