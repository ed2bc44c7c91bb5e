"""A dask cluster: what goes wrong in a function, records as on one machine; what is lost costs a retry, or a row."""

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
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import pytest

import benchkit
from benchkit.errors import ExecutorUnavailableError, OverTimeError, WorkerDiedError
from tests.conftest import PATIENCE, until
from tests.execute.conftest import PLUGIN, doing

distributed = pytest.importorskip("distributed")

from benchkit_dask.cluster import DaskExecutor, _outcomes, check_versions  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

WHILE_ABSENT = "import os, time\nwhile not os.path.exists({!r}): time.sleep(0.01)"


@pytest.fixture(scope="module")
def own_cluster():
    """An executor with a cluster of its own, of two workers, started while another has the port that dask wants."""
    with ExitStack() as stack:
        with socket.socket() as other, warnings.catch_warnings():
            with suppress(OSError):  # another cluster has it indeed
                other.bind(("127.0.0.1", 8787))
                other.listen()
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message="Port .* is already in use")  # dask's words
            executor = stack.enter_context(DaskExecutor(None, jobs=2))
        executor.submit(divmod, 1, 1, timeout=None).result(PATIENCE)  # its workers have started
        yield executor


@pytest.fixture
def options(tiny, write_suite, write_plugin, tmp_path):
    """Arguments of `benchkit.run`, but for where it runs."""

    def make(algorithms, repetitions=1):
        content = {**tiny, "algorithms": algorithms, "adversaries": []}
        content["split"] = {**tiny["split"], "repetitions": repetitions}
        written = {"suite": write_suite(content), "plugins": [write_plugin(PLUGIN)]}
        return {**written, "out": tmp_path / "dask", "tracking": False}

    return make


def run(arguments, address):
    return benchkit.run(**arguments, executor="dask", executor_options={"scheduler": address})


@pytest.fixture
def waiting(options, tmp_path):
    """Trials that wait, and a function that acts once the first has begun; then all go on."""
    started = tmp_path / "started"
    begun = f"open({str(started)!r}, 'w').close()\n{WHILE_ABSENT.format(f'{started}-and-done')}"
    arguments = options([doing("waiting", begun)], repetitions=4)

    def once_begun(act):
        def wait():
            until(started.exists)
            act()
            started.with_name(f"{started.name}-and-done").touch()

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        return thread

    return arguments, once_begun


def test_every_trial_has_a_row_though_the_scheduler_is_killed(waiting, tmp_path):
    # Before `own_cluster` is there, lest two clusters be held at once.
    arguments, once_begun = waiting
    # It takes whichever port is free, and writes down which.
    file = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    here = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *common]
    there = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *common]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(here, **quiet) as scheduler, subprocess.Popen(there, **quiet) as worker:
        once_begun(scheduler.kill)
        try:
            until(lambda: file.exists() and file.read_text().endswith("}"))
            results = run(arguments, json.loads(file.read_text())["address"])
        finally:
            scheduler.kill()
            worker.terminate()
    assert len(results.records) == 4
    assert results.statuses.keys() <= {"ok", "crashed"}
    assert any("scheduler" in row["error"] for row in results.records if row["status"] == "crashed")


@pytest.mark.parametrize(
    ("function", "arguments", "timeout", "error"),
    [
        (divmod, (7, 0), None, ZeroDivisionError),
        (os._exit, (3,), None, WorkerDiedError),
        (time.sleep, (10,), 0.5, OverTimeError),
        (compile, ("1", "x", "eval"), None, TypeError),
    ],
)
def test_what_goes_wrong_ends_its_future_and_the_next_function_runs(function, arguments, timeout, error, own_cluster):
    assert isinstance(own_cluster.submit(function, *arguments, timeout=timeout).exception(timeout=PATIENCE), error)
    assert own_cluster.submit(divmod, 7, 2, timeout=None).result(timeout=PATIENCE) == (3, 1)


def test_the_same_records_as_in_one_process(options, own_cluster, tmp_path):
    def outcome(results):
        return [(row["trial"], row["status"], row["metrics"], row["error"]) for row in results.records]

    kinds = [doing("none"), doing("raise", "raise RuntimeError('the solver says no')"), "constant"]
    cluster = run(options([*kinds, doing("exit", "os._exit(3)")]), own_cluster._client.scheduler.address)
    *same, crashed = outcome(cluster)
    assert same == outcome(benchkit.run(**{**options(kinds), "out": tmp_path / "inline"}, executor="inline"))
    assert crashed[1:] == ("crashed", {}, "the worker process died (exit code 3)")
    assert all(row["peak_mb"] > 10 for row in cluster.records if row["status"] == "ok")
    assert cluster.statuses == {"ok": 2, "failed": 1, "crashed": 1}


def test_every_trial_has_a_row_though_the_cluster_cancels_their_tasks(waiting, own_cluster):
    arguments, once_begun = waiting
    client = own_cluster._client

    def cancel():
        keys = [key for key in list(client.cluster.scheduler.tasks) if str(key).startswith("trial-")]
        client.cancel([distributed.Future(key, client) for key in keys], force=True)

    thread = once_begun(cancel)
    results = run(arguments, client.scheduler.address)
    thread.join()
    assert len(results.records) == 4
    reasons = {row["error"] for row in results.records if row["status"] != "ok"}
    assert reasons == {"the dask scheduler cancelled it, or is gone"}


def test_a_dask_worker_killed_in_mid_trial(waiting, own_cluster):
    """Of workers as dask starts them: daemons, which multiprocessing forbids to start processes."""
    arguments, once_begun = waiting
    (victim, *_) = own_cluster._client.run(os.getpid).values()
    thread = once_begun(lambda: os.kill(victim, signal.SIGKILL))
    results = run(arguments, own_cluster._client.scheduler.address)
    thread.join()
    with pytest.raises(ProcessLookupError):
        os.kill(victim, 0)
    assert results.statuses == {"ok": 4}, [(row["status"], row["error_type"], row["error"]) for row in results.records]


def test_a_task_whose_client_is_closed_is_a_death():
    """Dask's own wait would never end, and so would its thread for all results."""
    client = SimpleNamespace(status="running")

    def result(timeout=None):
        assert timeout is not None, "it would wait for ever"
        assert client.status == "running", "it would ask for ever"
        client.status = "closed"
        raise TimeoutError

    _, _, lost = _outcomes(SimpleNamespace(client=client, result=result))
    assert isinstance(lost, benchkit.WorkerDiedError)


def test_nothing_waits_behind_a_call_that_turns_out_long(own_cluster, tmp_path):
    brief = [own_cluster.submit(divmod, number, 3, timeout=None) for number in range(40)]
    assert [future.result(PATIENCE) for future in brief] == [divmod(number, 3) for number in range(40)]
    before = [own_cluster.submit(divmod, number, 3, timeout=None) for number in range(20)]
    long = own_cluster.submit(exec, WHILE_ABSENT.format(str(tmp_path / "enough")), timeout=None)
    after = [own_cluster.submit(divmod, number, 3, timeout=None) for number in range(40)]
    assert [future.result(PATIENCE) for future in before + after] == [divmod(n, 3) for n in [*range(20), *range(40)]]
    until(long.running)
    assert not long.done()
    (tmp_path / "enough").touch()
    long.result(PATIENCE)


def test_the_server_of_a_dask_workers_processes_is_killed_and_nothing_else_is_lost(own_cluster):
    """It costs the call that ran there, as on one machine; the watch was lost, and every later call with it."""
    kill_the_server = "import os, signal, time; os.kill(os.getppid(), signal.SIGKILL); time.sleep(3600)"
    with pytest.raises(benchkit.WorkerDiedError, match="the worker process died"):
        own_cluster.submit(exec, kill_the_server, timeout=None).result(PATIENCE)
    further = [own_cluster.submit(divmod, number, 3, timeout=None) for number in range(10)]
    assert [future.result(PATIENCE) for future in further] == [divmod(number, 3) for number in range(10)]


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
        (ModuleNotFoundError("No module named 'benchkit'"), "has no benchkit that can be imported"),
    ],
)
def test_workers_with_another_benchkit_are_refused_in_one_line(answer, words, own_cluster):
    check_versions(own_cluster._client)
    there = {"tcp://a:1": benchkit.__version__, "tcp://b:2": answer, "tcp://c:3": answer}
    client = SimpleNamespace(run=lambda function, text, on_error: there)
    with pytest.raises(ExecutorUnavailableError, match=words) as caught:
        check_versions(client)
    assert str(caught.value).startswith("the dask worker tcp://b:2 ")
    assert "\n" not in str(caught.value)


def test_a_worker_with_another_benchkit_that_comes_later_runs_nothing(monkeypatch):
    from benchkit_dask.children import Children, _children_of

    plugin = Children(None, None)
    monkeypatch.setattr("benchkit_dask.children.__version__", "0.0.1")
    plugin.setup(SimpleNamespace(state=SimpleNamespace(nthreads=1)))
    with pytest.raises(benchkit.WorkerDiedError, match=r"worker has benchkit 0\.0\.1, and the run is of benchkit"):
        _children_of(SimpleNamespace(plugins={plugin.name: plugin}), plugin.name)
    plugin.teardown(None)


def test_a_scheduler_that_is_not_there_is_said(options, monkeypatch):
    monkeypatch.setattr("benchkit_dask.cluster._SECONDS_TO_CONNECT", 1)
    with pytest.raises(ExecutorUnavailableError, match="no dask scheduler at tcp://127.0.0.1:9"):
        run(options(["constant"]), "tcp://127.0.0.1:9")
