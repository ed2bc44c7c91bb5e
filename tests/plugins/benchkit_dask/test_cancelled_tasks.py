"""A dask cluster that cancels tasks in the middle of a run: it ends, and every trial has its row."""

import threading
import time

import pytest

import benchkit

distributed = pytest.importorskip("distributed")

PLUGIN = """
import time
from pathlib import Path
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Algorithm, hookimpl

class Waits(ClassifierMixin, BaseEstimator):
    def __init__(self, started=""):
        self.started = started
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if not Path(self.started).exists():
            Path(self.started).touch()
            deadline = time.monotonic() + 180
            while not Path(self.started + "-and-cancelled").exists() and time.monotonic() < deadline:
                time.sleep(0.02)
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[0])

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="waits", make=Waits)]
"""


@pytest.fixture
def suite(tiny, write_suite, write_plugin, tmp_path):
    """A suite of four trials, of which the first notes that it has begun and waits to be cancelled, and that note."""
    started = tmp_path / "started"
    tiny.update(algorithms=[{"name": "waits", "params": {"started": str(started)}}], adversaries=[])
    tiny.update(plugins=[str(write_plugin(PLUGIN))], split={**tiny["split"], "repetitions": 4})
    return write_suite(tiny), started


def after(started, act):
    """Act once the note is there, in a thread."""

    def wait():
        deadline = time.monotonic() + 180
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")
def test_cancelled_tasks_end_as_rows(suite, tmp_path):
    path, started = suite
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, memory_limit=0, dashboard_address=None, silence_logs="CRITICAL"
    )
    with cluster, distributed.Client(cluster) as client:

        def cancel():
            keys = [key for key in list(cluster.scheduler.tasks) if str(key).startswith("trial-")]
            client.cancel([distributed.Future(key, client) for key in keys], force=True)
            started.with_name(f"{started.name}-and-cancelled").touch()

        thread = after(started, cancel)
        results = benchkit.run(
            path,
            out=tmp_path / "runs",
            executor="dask",
            executor_options={"scheduler": cluster.scheduler_address},
            tracking=False,
        )
        thread.join()
    assert len(results.records) == 4
    reasons = {row["error"] for row in results.records if row["status"] != "ok"}
    assert reasons == {"the dask scheduler cancelled it, or is gone"}
