"""The pool of workers: deadlines, memory, deaths and children, without any trial."""

import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from concurrent.futures import CancelledError, wait
from contextlib import suppress
from functools import partial

import pytest

from benchkit.execute import process_tree
from benchkit.execute.executor import OverMemoryError, OverTimeError, WorkerDiedError
from benchkit.execute.local import Pool, Worker

# Seconds that only a failure takes: a busy machine starts a worker in many.
PATIENCE = 180
# Workers need no module of the tests: what they run is source text.
DIE = "import os; os._exit(4)"
STUBBORN = """
import signal, time
for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
time.sleep(600)
"""
UNTIL_THERE = """
import os, time
while not os.path.exists({path!r}):
    time.sleep(0.01)
"""
WITH_CHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
with open({path!r} + ".partial", "w") as file:
    file.write(str(child.pid))
os.rename(file.name, {path!r})
time.sleep(600)
"""
HOLD = "import time; held = b'x' * (500 << 20); time.sleep(600)"
RAISE_ODD = """
class OddError(Exception):
    def __init__(self, one, two):
        super().__init__(one)
raise OddError(1, 2)
"""


@pytest.fixture
def make_pool():
    pools = []

    def make(size=1, prepare=print, memory=None):
        pools.append(Pool(multiprocessing.get_context("forkserver"), size, prepare, memory))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()
        pool.close()  # again is no harm


def until(true):
    deadline = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert true()


def test_values_errors_and_order(make_pool):
    pool = make_pool(2)
    futures = [pool.submit(divmod, number, 3, timeout=None) for number in range(50)]
    assert [future.result(PATIENCE) for future in futures] == [divmod(number, 3) for number in range(50)]
    with pytest.raises(ZeroDivisionError):
        pool.submit(divmod, 1, 0, timeout=None).result(PATIENCE)
    with pytest.raises(TypeError, match="cannot be sent between processes"):
        pool.submit(compile, "1", "x", "eval", timeout=None).result(PATIENCE)
    assert pool.submit(os.getpid, timeout=None).result(PATIENCE) != os.getpid()


def test_calls_may_come_at_any_moment(make_pool):
    """The watch may be interrupted by who submits, wherever it is: here it is all the time, else on a busy machine."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        pool = make_pool(2)
        for _ in range(10):
            futures = [pool.submit(divmod, number, 3, timeout=None) for number in range(300)]
            assert [future.result(PATIENCE) for future in futures] == [divmod(number, 3) for number in range(300)]
    finally:
        sys.setswitchinterval(usual)


def test_nothing_waits_behind_a_task_that_turns_out_long(make_pool, tmp_path):
    pool = make_pool(2)
    brief = [pool.submit(divmod, number, 3, timeout=None) for number in range(40)]
    long = pool.submit(exec, UNTIL_THERE.format(path=str(tmp_path / "enough")), timeout=None)
    more = [pool.submit(divmod, number, 3, timeout=None) for number in range(40)]
    assert [future.result(PATIENCE) for future in brief + more] == [divmod(number, 3) for number in range(40)] * 2
    assert not long.done()
    (tmp_path / "enough").touch()
    long.result(PATIENCE)


def test_what_waits_survives_the_deaths_of_those_before_it(make_pool):
    pool = make_pool(1)
    brief = [pool.submit(divmod, number, 3, timeout=None) for number in range(20)]
    deadly = pool.submit(exec, DIE, timeout=None)
    slow = pool.submit(time.sleep, 60, timeout=0.2)
    more = [pool.submit(divmod, number, 3, timeout=None) for number in range(20)]
    assert [future.result(PATIENCE) for future in brief + more] == [divmod(number, 3) for number in range(20)] * 2
    with pytest.raises(WorkerDiedError):
        deadly.result(PATIENCE)
    with pytest.raises(OverTimeError):
        slow.result(PATIENCE)


def test_an_exception_that_does_not_survive_the_way_is_still_an_error(make_pool):
    with pytest.raises(TypeError, match="OddError"):
        make_pool().submit(exec, RAISE_ODD, timeout=None).result(PATIENCE)


def test_a_deadline_holds_for_those_that_listen_to_nothing(make_pool):
    pool = make_pool()
    pool.submit(print, timeout=None).result(PATIENCE)
    future = pool.submit(exec, STUBBORN, timeout=0.3)
    with pytest.raises(OverTimeError, match=r"took longer than 0\.3 s") as caught:
        future.result(PATIENCE)
    assert caught.value.usage.cpu_seconds < 1
    assert pool.submit(divmod, 7, 3, timeout=PATIENCE).result(PATIENCE) == (2, 1)


def test_a_deadline_that_is_over_at_once(make_pool, capfd):
    pool = make_pool(2)
    for future in [pool.submit(time.sleep, 600, timeout=0.001) for _ in range(6)]:
        with pytest.raises(OverTimeError):
            future.result(PATIENCE)
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_detached_child_ends_with_its_worker(make_pool, tmp_path):
    path = tmp_path / "pid"
    for seconds in (2, 8, 32, 128):  # until the child starts in time
        with pytest.raises(OverTimeError):
            make_pool().submit(exec, WITH_CHILD.format(path=str(path)), timeout=seconds).result(PATIENCE)
        if path.exists():
            break
    child = int(path.read_text())
    until(lambda: not process_tree.members(child))


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_memory_is_watched(make_pool):
    with pytest.raises(OverMemoryError, match="more than 300 MB") as caught:
        make_pool(memory=300).submit(exec, HOLD, timeout=PATIENCE).result(PATIENCE)
    assert caught.value.usage.peak_mb > 300


def test_a_death_costs_one_task(make_pool):
    pool = make_pool(2)
    futures = [
        pool.submit(*((exec, DIE) if number % 5 == 0 else (divmod, number, 3)), timeout=None) for number in range(20)
    ]
    for number, future in enumerate(futures):
        if number % 5:
            assert future.result(PATIENCE) == divmod(number, 3)
        else:
            with pytest.raises(WorkerDiedError, match="exit code 4"):
                future.result(PATIENCE)


def test_a_worker_killed_while_idle_is_replaced(make_pool):
    pool = make_pool()
    os.kill(pool.submit(os.getpid, timeout=None).result(PATIENCE), signal.SIGKILL)
    until(lambda: not pool._workers)
    assert pool.submit(divmod, 7, 3, timeout=None).result(PATIENCE) == (2, 1)


def test_workers_that_cannot_begin_are_an_error_and_not_a_wait(make_pool):
    with pytest.raises(WorkerDiedError, match="die before they can begin"):
        make_pool(prepare=partial(exec, DIE)).submit(print, timeout=None).result(PATIENCE)


@pytest.mark.parametrize("error", [EOFError("unexpected EOF"), ConnectionRefusedError(111, "refused")])
def test_a_server_that_is_lost_while_it_starts_a_worker_costs_no_task(make_pool, monkeypatch, error):
    """The watch was lost, and every task with it."""
    lost = [error, error]

    def start(*arguments):
        if lost:
            raise lost.pop()
        return Worker(*arguments)

    monkeypatch.setattr("benchkit.execute.local.Worker", start)
    pool = make_pool(2)
    futures = [pool.submit(divmod, number, 3, timeout=None) for number in range(10)]
    assert [future.result(PATIENCE) for future in futures] == [divmod(number, 3) for number in range(10)]
    lost += [error] * 100
    assert pool.submit(os.getpid, timeout=None).result(PATIENCE) != os.getpid()  # by one that is there


def test_a_server_that_never_starts_a_worker_is_an_error_and_not_a_wait(make_pool, monkeypatch):
    def start(*_):
        raise EOFError

    monkeypatch.setattr("benchkit.execute.local.Worker", start)
    with pytest.raises(WorkerDiedError, match="die before they can begin: the server they are forked from was lost"):
        make_pool().submit(divmod, 7, 3, timeout=None).result(PATIENCE)


def test_submitting_waits_for_nobody_where_the_watch_has_failed(make_pool, monkeypatch):
    """Nobody reads what wakes the watch: more calls than its pipe holds are to end all the same."""

    def fail(pool):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(Pool, "_hand_out", fail)
    pool, futures = make_pool(), []

    def submit():
        futures.extend(pool.submit(print, timeout=None) for _ in range(2**16 + 1))

    thread = threading.Thread(target=submit, daemon=True)  # which would not end the test where it waited
    thread.start()
    thread.join(PATIENCE)
    waits = thread.is_alive()
    os.read(pool._woken.fileno(), 2**16)  # where it waits, it need not for ever
    assert not waits
    for future in (futures[0], futures[-1]):
        with pytest.raises(WorkerDiedError, match="the watch over the workers failed: RuntimeError: out of luck"):
            future.result(PATIENCE)


def test_every_task_ends_where_the_watch_fails_in_the_middle_of_handing_out(make_pool, monkeypatch):
    begins = Worker.begin

    def begin(worker, task):
        begins(worker, task)
        raise RuntimeError("out of luck")

    monkeypatch.setattr(Worker, "begin", begin)
    pool = make_pool()
    for future in [pool.submit(print, timeout=None) for _ in range(3)]:
        with pytest.raises(WorkerDiedError, match="out of luck"):
            future.result(PATIENCE)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_workers_that_are_stopped_and_go_on_lose_nothing_and_do_nothing_twice(make_pool, tmp_path):
    """Each call adds a line to a file; a worker may be stopped in the middle of a call, an answer, or between two."""
    pool, made, enough = make_pool(2), tmp_path / "made", threading.Event()

    def burst():
        draw = random.Random(7)
        while not enough.is_set():
            pid = draw.choice([worker.pid for worker in tuple(pool._workers)] or [0])
            for number, seconds in ((signal.SIGSTOP, 0.1), (signal.SIGCONT, 0.02)) if pid else ():
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
                time.sleep(draw.uniform(0, seconds))

    thread = threading.Thread(target=burst)
    thread.start()
    try:
        line = f"open({str(made)!r}, 'a').write('{{}}\\n')"
        calls = [pool.submit(exec, line.format(number), timeout=None) for number in range(1500)]
        for call in calls:
            call.result(PATIENCE)
    finally:
        enough.set()
        thread.join()
    assert sorted(map(int, made.read_text().split())) == list(range(1500))


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_workers_that_are_killed_cost_one_task_each_and_no_task_is_made_twice(make_pool, tmp_path):
    pool, made, enough, killed = make_pool(2), tmp_path / "made", threading.Event(), []

    def kill():
        draw = random.Random(7)
        while not enough.is_set():
            begun = [worker.pid for worker in tuple(pool._workers) if worker.ready]
            with suppress(ProcessLookupError, IndexError):
                os.kill(pid := draw.choice(begun), signal.SIGKILL)
                killed.append(pid)
            time.sleep(draw.uniform(0, 0.1))

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        line = f"open({str(made)!r}, 'a').write('{{}}\\n')"
        calls = [pool.submit(exec, line.format(number), timeout=None) for number in range(1500)]
        errors = [call.exception(PATIENCE) for call in calls]
    finally:
        enough.set()
        thread.join()
    lines = list(map(int, made.read_text().split()))
    assert len(lines) == len(set(lines))
    assert {number for number, error in enumerate(errors) if error is None} <= set(lines)
    assert {type(error) for error in errors} <= {type(None), WorkerDiedError}
    assert sum(error is not None for error in errors) <= len(set(killed))


def test_a_task_whose_worker_has_died_unnoticed_goes_to_another(make_pool, monkeypatch):
    pool, begins, given = make_pool(), Worker.begin, []

    def begin(worker, task):
        given.append(worker.pid)
        if len(given) == 2:
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
        begins(worker, task)

    monkeypatch.setattr(Worker, "begin", begin)
    for number in range(3):
        assert pool.submit(divmod, number, 3, timeout=None).result(PATIENCE) == divmod(number, 3)
    assert given[0] == given[1] != given[-1]


def test_who_waits_for_a_cancelled_task_learns_of_it(make_pool, tmp_path):
    pool = make_pool()
    running = pool.submit(exec, UNTIL_THERE.format(path=str(tmp_path / "enough")), timeout=None)
    waiting, last = (pool.submit(divmod, number, 3, timeout=None) for number in (7, 8))
    until(running.running)
    assert waiting.cancel()
    (tmp_path / "enough").touch()
    assert wait([running, waiting, last], timeout=PATIENCE).not_done == set()
    assert last.result() == (2, 2)


def test_closing_ends_what_runs(make_pool):
    pool = make_pool()
    running, waiting = pool.submit(exec, STUBBORN, timeout=None), pool.submit(print, timeout=None)
    until(running.running)
    pool.close()
    with pytest.raises(WorkerDiedError, match="stopped"):
        running.result(PATIENCE)
    with pytest.raises(CancelledError):
        waiting.result(PATIENCE)
