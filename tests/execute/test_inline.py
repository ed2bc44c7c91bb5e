"""The executor that is the present process, and what is looked at between trials."""

import gc
import threading
import weakref

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import benchkit
from benchkit.execute.work import InlineExecutor, Surroundings


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def refuse():
    raise ValueError("no")


def test_a_function_has_one_blas_thread_and_the_process_its_own_again():
    with threadpool_limits(2), InlineExecutor() as executor:
        before = blas_threads()
        assert 2 in before
        assert set(executor.submit(blas_threads, timeout=None).result()) == {1}
        assert blas_threads() == before
        assert isinstance(executor.submit(refuse, timeout=None).exception(), ValueError)
        assert blas_threads() == before


PLUGIN = """
import time
from benchkit import Algorithm, hookimpl
from sklearn.dummy import DummyClassifier

class Slow(DummyClassifier):
    def fit(self, X, y):
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass
        return super().fit(X, y)

def fail():
    raise RuntimeError("cannot be compiled")

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="slow", make=Slow), Algorithm(name="broken", make=DummyClassifier, warm_up=fail)]
"""


def test_a_trial_that_cannot_begin_is_not_charged_with_the_fit_of_the_one_before(
    tiny, write_suite, write_plugin, tmp_path
):
    """It had the cost of the fit that the trial before it shared."""
    tiny["split"]["repetitions"] = 1
    suite = write_suite({**tiny, "algorithms": ["slow", "broken"]})
    run = {"plugins": [write_plugin(PLUGIN)], "out": tmp_path / "runs", "executor": "inline", "tracking": False}
    rows = benchkit.run(suite, **run).records
    assert [row["cpu_seconds"] for row in rows if row["algorithm"] == "broken"] == [0.0, 0.0]
    assert all(row["cpu_seconds"] >= 0.05 for row in rows if row["algorithm"] == "slow")


@pytest.fixture
def look():
    """Takes the state before a trial."""
    yield Surroundings  # pytest itself changes the environment before each test
    gc.unfreeze()


def test_what_a_trial_leaves_changed_is_named(look, tmp_path):
    before = look()
    assert before.changes() == []
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="raise"):
        patch.setenv("SET_BY_A_TRIAL", "1")
        patch.chdir(tmp_path)
        thread.start()
        changes = before.changes()
    ended.set()
    thread.join()
    assert changes == ["working directory", "environment", "threads", "numpy errors"]
    assert before.changes() == []


class Node:
    pass


def test_what_a_trial_leaves_in_cycles_is_freed(look):
    before = look()
    node = Node()
    node.self = node
    alive = weakref.ref(node)
    gc.collect(1)  # what lives is among the old objects now
    del node
    before.changes()
    assert alive() is None


def test_threads_of_linear_algebra_that_are_limited_for_ever_are_seen(look):
    before = look()
    if max(library["num_threads"] for library in threadpool_info()) < 2:
        pytest.skip("one thread is all there is")
    with threadpool_limits(1):
        assert before.changes() == ["BLAS threads"]
