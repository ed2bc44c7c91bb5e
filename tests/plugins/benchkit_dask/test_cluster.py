"""A dask cluster: the same records as on one machine, and a lost worker costs its trials a retry."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import warnings
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import pytest

import benchkit
from benchkit.execute.executor import ExecutorUnavailableError, OverTimeError
from benchkit.suite.source import SuiteError

distributed = pytest.importorskip("distributed")

from benchkit_dask.versions import check_versions  # noqa: E402

# Seconds that only a failure takes.
PATIENCE = 180

PLUGIN = r"""
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
        if self.kind == "say":
            print("\x1b[2Jprinted \x00", flush=True)
            raise RuntimeError("\x1b]0;owned\x07 \x00 \u202e" + "x" * 10**6)
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
def test_the_same_records_as_on_one_machine(options, own_cluster, tmp_path):
    kinds = [{"name": "fault", "label": kind, "params": {"kind": kind}} for kind in ("none", "raise", "exit")]
    sleeps = {"name": "fault", "label": "sleep", "params": {"kind": "sleep"}}
    statuses = {}
    # The limit that one is to meet is not that of the others, which a busy machine may need minutes for.
    for algorithms, limit in (([sleeps], 2), ([*kinds, "constant"], 300)):
        arguments = {**options(algorithms, repetitions=1), "jobs": 2, "timeout": limit}
        cluster = benchkit.run(
            **arguments, executor="dask", executor_options={"scheduler": own_cluster._client.scheduler.address}
        )
        local = benchkit.run(**{**arguments, "out": tmp_path / "local"})
        statuses |= cluster.statuses
        assert outcome(cluster) == outcome(local)
        assert all(row["peak_mb"] > 10 for row in cluster.records if row["status"] == "ok")
    assert statuses == {"ok": 2, "failed": 1, "crashed": 1, "timeout": 1}


@pytest.mark.whole
def test_every_trial_has_a_row_though_the_scheduler_is_killed(options, tmp_path):
    started = tmp_path / "started"
    waits = [
        {"name": "fault", "label": f"wait-{place}", "params": {"kind": "wait", "started": str(started)}}
        for place in range(4)
    ]
    # It takes whichever port is free, and writes down which.
    common = ["--scheduler-file", str(tmp_path / "scheduler.json"), "--no-dashboard"]
    here = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *common]
    there = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *common]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(here, **quiet) as scheduler, subprocess.Popen(there, **quiet) as worker:

        def kill():
            until(started.exists)
            scheduler.kill()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        try:
            address = address_in(tmp_path / "scheduler.json")
            results = benchkit.run(
                **options(waits, repetitions=5), executor="dask", executor_options={"scheduler": address}
            )
        finally:
            scheduler.kill()
            worker.terminate()
    assert len(results.records) == 20
    assert results.statuses.keys() <= {"ok", "crashed"}
    assert results.statuses["crashed"] >= 10
    assert any("scheduler" in row["error"] for row in results.records if row["status"] == "crashed")


def address_in(file):
    """That of a scheduler, once it has written it down."""
    written = []

    def complete():
        with suppress(OSError, ValueError):
            written.append(json.loads(file.read_text())["address"])
        return written

    until(complete)
    return written[0]


def until(true):
    deadline = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert true()


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (CancelledError(), "the dask scheduler cancelled it, or is gone"),
        (ConnectionResetError("reset by peer"), "the dask scheduler is gone: reset by peer"),
    ],
)
def test_a_task_that_is_cancelled_or_lost_with_its_scheduler_is_a_death(problem, reason):
    from benchkit_dask.cluster import _outcomes

    class Remote:
        client = SimpleNamespace(status="running")

        def result(self, timeout):
            raise problem

    outcomes, brief, lost = _outcomes(Remote())
    assert (outcomes, brief) == ([], False)
    assert isinstance(lost, benchkit.WorkerDiedError)
    assert str(lost) == reason


def test_a_task_whose_client_is_closed_while_its_result_is_awaited_is_a_death():
    """dask's own wait would never end, and with it the one thread that takes the results of every client."""
    from benchkit_dask.cluster import _outcomes

    class Remote:
        client = SimpleNamespace(status="running")

        def result(self, timeout=None):
            self.client.status = "closed"
            if timeout is None:
                pytest.fail("it would wait for ever")
            raise TimeoutError

    outcomes, _, lost = _outcomes(Remote())
    assert outcomes == []
    assert isinstance(lost, benchkit.WorkerDiedError)


@pytest.fixture(scope="module")
def own_cluster():
    """An executor with a cluster of its own, of two workers, started while another has the port that dask wants."""
    from benchkit_dask.cluster import DaskExecutor

    with ExitStack() as stack:
        with socket.socket() as other, warnings.catch_warnings():
            with suppress(OSError):  # another cluster has it indeed
                other.bind(("127.0.0.1", 8787))
                other.listen()
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message="Port .* is already in use")  # dask's words
            executor = stack.enter_context(DaskExecutor(None, jobs=2))
        yield executor


@pytest.mark.filterwarnings("ignore")
def test_nothing_waits_behind_a_call_that_turns_out_long(own_cluster, tmp_path):
    brief = [own_cluster.submit(divmod, number, 3, timeout=None) for number in range(40)]
    assert [future.result(PATIENCE) for future in brief] == [divmod(number, 3) for number in range(40)]
    before = [own_cluster.submit(divmod, number, 3, timeout=None) for number in range(20)]
    waiting = UNTIL_THERE.format(path=str(tmp_path / "enough"))
    long = own_cluster.submit(exec, waiting, timeout=None)
    after = [own_cluster.submit(divmod, number, 3, timeout=None) for number in range(40)]
    assert [future.result(PATIENCE) for future in before + after] == [divmod(n, 3) for n in [*range(20), *range(40)]]
    until(long.running)
    assert not long.done()
    (tmp_path / "enough").touch()
    long.result(PATIENCE)
    late = own_cluster.submit(time.sleep, 60, timeout=0.3)
    with pytest.raises(OverTimeError):
        late.result(PATIENCE)


KILL_THE_SERVER = "import os, signal, time; os.kill(os.getppid(), signal.SIGKILL); time.sleep(600)"


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")
def test_the_server_of_a_dask_workers_processes_is_killed_and_nothing_else_is_lost(own_cluster):
    """It costs the call that ran there, as on one machine; the watch was lost, and every later call with it."""
    for _ in range(2):
        with pytest.raises(benchkit.WorkerDiedError, match="the worker process died"):
            own_cluster.submit(exec, KILL_THE_SERVER, timeout=None).result(PATIENCE)
        further = [own_cluster.submit(divmod, number, 3, timeout=None) for number in range(10)]
        assert [future.result(PATIENCE) for future in further] == [divmod(number, 3) for number in range(10)]


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_ones_own_listens_to_this_machine_alone_and_has_no_dashboard(own_cluster):
    known = own_cluster._client.scheduler_info()
    addresses = [known["address"], *(worker for worker in known["workers"])]
    assert len(addresses) == 3
    assert all(address.startswith("tcp://127.0.0.1:") for address in addresses)
    with pytest.raises(urllib.error.HTTPError, match="404"):  # the dashboard; dask's plain pages are there
        urllib.request.urlopen(f"http://127.0.0.1:{known['services']['dashboard']}/status", timeout=PATIENCE)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("0.0.1\n\x1b[31m", "has benchkit 0.0.1 "),
        (ModuleNotFoundError("No module named 'benchkit'"), "has no benchkit, and this is benchkit"),
        (SyntaxError("invalid syntax"), r"cannot be imported \(SyntaxError\)"),
    ],
)
def test_workers_with_another_benchkit_are_refused_in_one_line(answer, words):
    there = {"tcp://a:1": benchkit.__version__, "tcp://b:2": answer, "tcp://c:3": answer}
    client = SimpleNamespace(run=lambda function, text, on_error: there)
    with pytest.raises(ExecutorUnavailableError, match=words) as caught:
        check_versions(client)
    assert str(caught.value).startswith("the dask worker tcp://b:2 (and 1 of the others) ")
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore")
def test_workers_say_which_benchkit_they_have(own_cluster, monkeypatch):
    check_versions(own_cluster._client)
    monkeypatch.setattr("benchkit_dask.versions.__version__", "99")
    with pytest.raises(ExecutorUnavailableError, match=f"has benchkit {benchkit.__version__}, and this is benchkit 99"):
        check_versions(own_cluster._client)


def test_a_worker_with_another_benchkit_that_comes_later_runs_nothing(monkeypatch):
    from benchkit_dask.children import Children, _children_of

    plugin = Children(None, None)
    monkeypatch.setattr("benchkit_dask.children.__version__", "0.0.1")
    plugin.setup(SimpleNamespace(state=SimpleNamespace(nthreads=1)))
    with pytest.raises(
        benchkit.WorkerDiedError, match=r"a dask worker has benchkit 0\.0\.1, and the run is of benchkit"
    ):
        _children_of(SimpleNamespace(plugins={plugin.name: plugin}), plugin.name)
    plugin.teardown(None)


def test_no_scheduler_there(options, monkeypatch):
    monkeypatch.setattr("benchkit_dask.cluster._SECONDS_TO_CONNECT", 1)
    with pytest.raises(ExecutorUnavailableError, match="no dask scheduler at tcp://127.0.0.1:9"):
        benchkit.run(**options(["constant"]), executor="dask", executor_options={"scheduler": "tcp://127.0.0.1:9"})


def test_a_scheduler_belongs_to_dask(options):
    with pytest.raises(SuiteError, match="--executor local has no option .scheduler."):
        benchkit.run(**options(["constant"]), executor_options={"scheduler": "tcp://127.0.0.1:9"})


@pytest.mark.filterwarnings("ignore")
def test_a_dask_worker_killed_in_mid_trial(options, own_cluster, tmp_path):
    """Of workers as dask starts them: daemons, which multiprocessing forbids to start processes."""
    started = tmp_path / "started"
    arguments = options([{"name": "fault", "params": {"kind": "wait", "started": str(started)}}], repetitions=4)
    (victim, *_) = own_cluster._client.run(os.getpid).values()

    def kill():
        until(started.exists)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    results = benchkit.run(
        **arguments, executor="dask", executor_options={"scheduler": own_cluster._client.scheduler.address}
    )
    killer.join()
    until(lambda: not lives(victim))
    assert results.statuses == {"ok": 4}, [(row["status"], row["error_type"], row["error"]) for row in results.records]


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


HOSTILE_LABELS = [
    "../../outside",
    "/etc/passwd",
    '{"status": "ok", "trial": 1}',
    "[bold red]x[/] :smile:",
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "`x` | $y$ %s {0} \\",
    "x" * 5000,
]


@pytest.mark.filterwarnings("ignore")
def test_labels_of_a_stranger_mean_nothing_to_a_cluster(options, own_cluster, tmp_path, capfd):
    """What workers send back is what they send here; nothing of it reaches the terminal but as text."""
    entries = [{"name": "fault", "label": label} for label in HOSTILE_LABELS]
    entries.append({"name": "fault", "label": "says", "params": {"kind": "say"}})
    arguments = {**options(entries, repetitions=1), "jobs": 2}
    cluster = benchkit.run(
        **arguments, executor="dask", executor_options={"scheduler": own_cluster._client.scheduler.address}
    )
    local = benchkit.run(**{**arguments, "out": tmp_path / "local"})
    assert outcome(cluster) == outcome(local)
    assert cluster.statuses == {"ok": len(HOSTILE_LABELS), "failed": 1}
    assert {row["algorithm"] for row in cluster.records} == {*HOSTILE_LABELS, "says"}
    (failed,) = (row for row in cluster.records if row["status"] == "failed")
    assert len(failed["error"]) < 3000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dask", "local", "my_plugin.py", "suite.yaml"]
    print(cluster, cluster.answer(), cluster.table())
    told = "".join(capfd.readouterr())
    assert set("\x1b\x07\x00\u202e").isdisjoint(told)


@pytest.mark.parametrize("label", ["\x1b[2J", "two\nlines", "nul\x00", "turned\u202e", " spaces ", ""])
def test_labels_that_could_steer_a_terminal_are_refused_before_a_cluster_is_asked(options, label):
    suite = options([{"name": "fault", "label": label}])
    with pytest.raises(SuiteError, match="is no label|not valid YAML: text with a NUL") as told:
        benchkit.run(**suite, executor="dask", executor_options={"scheduler": "tcp://127.0.0.1:9"})
    assert len(str(told.value).splitlines()) <= 2
    assert set("\x1b\x00\u202e").isdisjoint(str(told.value))
