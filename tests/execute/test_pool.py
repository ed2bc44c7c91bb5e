"""Worker processes: deadlines, memory, deaths and children, without any trial."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import wait
from contextlib import suppress
from pathlib import Path

import pytest
from filelock import FileLock

from benchkit.errors import OverMemoryError, OverTimeError, WorkerDiedError
from benchkit.execute import process_tree
from benchkit.execute.local import LocalExecutor, Worker
from tests.conftest import PATIENCE, until

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

STUBBORN = """
import signal, time
for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
time.sleep(3600)
"""
WITH_CHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
with open({path!r} + ".partial", "w") as file:
    file.write(str(child.pid))
os.rename(file.name, {path!r})
time.sleep({seconds})
os._exit(4)
"""
HELD_BY_A_CHILD = "import os, time; os.fork() or time.sleep(3600); os.kill(os.getpid(), 9)"
TORN = """
import os, sys, time
frame = sys._getframe()
while "parent" not in frame.f_locals:
    frame = frame.f_back
os.write(frame.f_locals["parent"].fileno(), bytes(SENT))
time.sleep(3600)
"""
HOLD = "import time; held = b'x' * (320 << 20); time.sleep(3600)"
RAISE_ODD = """
class OddError(Exception):
    def __init__(self, one, two):
        super().__init__(one)
raise OddError(1, 2)
"""


@pytest.fixture
def make_pool():
    pools = []

    def make(size=1, memory=None):
        pools.append(LocalExecutor(size, Path(os.devnull), memory).__enter__())
        return pools[-1]

    yield make
    for pool in reversed(pools):
        pool.__exit__(None, None, None)
        pool.__exit__(None, None, None)  # again is no harm


def divided(pool, n):
    """Futures of brief calls."""
    return [pool.submit(divmod, number, 3, timeout=None) for number in range(n)]


def assert_divided(futures, n):
    assert [future.result(PATIENCE) for future in futures] == [divmod(number, 3) for number in range(n)]


def test_values_errors_and_order(make_pool):
    pool = make_pool(2)
    assert_divided(divided(pool, 50), 50)
    with pytest.raises(ZeroDivisionError):
        pool.submit(divmod, 1, 0, timeout=None).result(PATIENCE)
    with pytest.raises(TypeError, match="cannot be sent between processes"):
        pool.submit(compile, "1", "x", "eval", timeout=None).result(PATIENCE)
    with pytest.raises(TypeError, match="OddError"):  # an exception that does not survive the way
        pool.submit(exec, RAISE_ODD, timeout=None).result(PATIENCE)
    assert pool.submit(os.getpid, timeout=None).result(PATIENCE) != os.getpid()


def test_a_deadline_holds_for_those_that_listen_to_nothing(make_pool):
    pool = make_pool()
    divided(pool, 1)[0].result(PATIENCE)
    future = pool.submit(exec, STUBBORN, timeout=0.3)
    with pytest.raises(OverTimeError, match=r"took longer than 0\.3 s") as caught:
        future.result(PATIENCE)
    assert caught.value.cpu_seconds < 1
    for future in [pool.submit(time.sleep, 3600, timeout=0.001) for _ in range(3)]:  # over at once
        with pytest.raises(OverTimeError):
            future.result(PATIENCE)
    assert pool.submit(divmod, 7, 3, timeout=PATIENCE).result(PATIENCE) == (2, 1)


@pytest.mark.parametrize("sent", [3, 100])
def test_a_deadline_holds_for_a_worker_that_stops_in_the_middle_of_its_answer(make_pool, sent):
    content = bytes([0] * 6 + [200] + [0] * 100)[:sent]
    with pytest.raises(OverTimeError):
        make_pool().submit(exec, TORN.replace("SENT", repr(list(content))), timeout=0.5).result(PATIENCE)


@linux
@pytest.mark.parametrize(("seconds", "error"), [(3600, OverTimeError), (0.5, WorkerDiedError)])
def test_a_detached_child_ends_with_its_worker(make_pool, tmp_path, seconds, error):
    path = tmp_path / "pid"
    for timeout in (2, 8, 32, 128):  # until the child starts in time
        with pytest.raises(error):
            make_pool().submit(exec, WITH_CHILD.format(path=str(path), seconds=seconds), timeout=timeout).result()
        if path.exists():
            break
    until(lambda: not process_tree.members(int(path.read_text())))


@linux
def test_memory_is_watched_and_a_death_is_seen_where_a_child_holds_the_connection(make_pool):
    with pytest.raises(WorkerDiedError, match="SIGKILL"):
        make_pool().submit(exec, HELD_BY_A_CHILD, timeout=None).result(PATIENCE)
    with pytest.raises(OverMemoryError, match="more than 300 MB") as caught:
        make_pool(memory=300).submit(exec, HOLD, timeout=PATIENCE).result(PATIENCE)
    assert caught.value.peak_mb > 300


def test_a_worker_killed_while_idle_is_replaced(make_pool):
    pool = make_pool()
    pid = pool.submit(os.getpid, timeout=None).result(PATIENCE)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not process_tree.members(pid))
    assert_divided(divided(pool, 3), 3)


def test_a_server_that_is_lost_while_it_starts_a_worker_costs_no_call(make_pool, monkeypatch):
    lost = [EOFError("unexpected EOF"), ConnectionRefusedError(111, "refused")]

    def start(*arguments):
        if lost:
            raise lost.pop()
        return Worker(*arguments)

    monkeypatch.setattr("benchkit.execute.local.Worker", start)
    assert_divided(divided(make_pool(2), 10), 10)
    lost += [EOFError()] * 100
    with pytest.raises(WorkerDiedError, match="die before they can begin: EOFError"):
        make_pool().submit(os.getpid, timeout=None).result(PATIENCE)


@linux
def test_closing_ends_what_runs(make_pool, tmp_path):
    path, pool = tmp_path / "pid", make_pool()
    running = pool.submit(exec, WITH_CHILD.format(path=str(path), seconds=3600), timeout=None)
    waiting = pool.submit(print, timeout=None)
    until(path.exists)
    pool.__exit__(None, None, None)
    with pytest.raises(WorkerDiedError, match="stopped"):
        running.result(PATIENCE)
    assert wait([waiting], 0).done  # closing counts what it never began
    with pytest.raises(WorkerDiedError, match="stopped"):
        waiting.result()
    assert not pool._workers
    until(lambda: not process_tree.members(int(path.read_text())))


def test_a_run_that_was_killed_leaves_no_folder_behind_the_next(make_pool, tmp_path, monkeypatch):
    code = "import os; from benchkit import LocalExecutor; kept = LocalExecutor(1).__enter__(); os.kill(os.getpid(), 9)"
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    subprocess.run([sys.executable, "-c", code], check=False)
    (killed,) = tmp_path.glob("benchkit-workers-*")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pools = make_pool(), make_pool()  # and one takes nothing from another
    assert not killed.exists()
    for pool in pools:
        assert_divided(divided(pool, 1), 1)


def test_a_folder_that_another_run_removes_before_it_is_locked_is_made_again(make_pool, tmp_path, monkeypatch):
    """Of two that began at the same moment the one failed: the other took its folder for that of a killed run."""
    removed = []

    class Late(FileLock):
        def acquire(self, *arguments, **options):
            if not removed:
                removed.append(shutil.rmtree(Path(self.lock_file).parent))
                raise FileNotFoundError(self.lock_file)  # as where it is removed while the lock is opened
            return super().acquire(*arguments, **options)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # where nobody else's are
    monkeypatch.setattr("benchkit.execute.local.FileLock", Late)
    assert_divided(divided(make_pool(), 1), 1)
    assert removed


def test_a_forked_process_has_workers_of_its_own(make_pool):
    """It took its parent's server of workers for its own child, and failed."""
    assert_divided(divided(make_pool(), 1), 1)
    child = os.fork()
    if child == 0:
        code = 1
        with suppress(BaseException), LocalExecutor(1) as executor:
            code = int(executor.submit(os.getpid, timeout=None).result(PATIENCE) == os.getpid())
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


@linux
def test_workers_that_are_killed_cost_one_call_each_and_no_call_is_made_twice(make_pool, tmp_path):
    """Calls note their numbers; meanwhile a worker of the latest is killed again and again."""
    pool, path, killed = make_pool(2), tmp_path / "made", set()
    enough, draw = threading.Event(), random.Random(7)

    def kill():
        while not enough.wait(draw.uniform(0, 0.1)):
            with suppress(ProcessLookupError, FileNotFoundError, IndexError):
                pid = int(draw.choice(path.read_text().splitlines()[-3:]).split()[1])
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        line = f"import os; open({str(path)!r}, 'a').write(f'{{}} {{{{os.getpid()}}}}\\n')"
        calls = [pool.submit(exec, line.format(number), timeout=None) for number in range(1500)]
        errors = [call.exception(PATIENCE) for call in calls]
    finally:
        enough.set()
        thread.join()
    numbers = [int(noted.split()[0]) for noted in path.read_text().splitlines()]
    assert len(numbers) == len(set(numbers))
    assert {number for number, error in enumerate(errors) if error is None} <= set(numbers)
    assert {type(error) for error in errors} <= {type(None), WorkerDiedError}
    assert sum(error is not None for error in errors) <= len(killed)
