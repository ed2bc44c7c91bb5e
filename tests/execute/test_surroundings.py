"""What is looked at between trials."""

import gc
import threading
import weakref

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from benchkit.execute.work import Surroundings


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
