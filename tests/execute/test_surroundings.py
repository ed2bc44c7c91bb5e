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


def test_the_environment_and_the_working_directory(look, monkeypatch, tmp_path):
    before = look()
    assert before.changes() == []
    monkeypatch.setenv("SET_BY_A_TRIAL", "1")
    assert before.changes() == ["environment"]
    monkeypatch.chdir(tmp_path)
    assert before.changes() == ["working directory", "environment"]


def test_threads_and_how_numpy_handles_errors(look):
    before, ended = look(), threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    with np.errstate(all="raise"):
        changes = before.changes()
    ended.set()
    thread.join()
    assert changes == ["threads", "numpy errors"]
    assert before.changes() == []


class Node:
    pass


@pytest.mark.parametrize("old", [False, True])
def test_what_a_trial_leaves_in_cycles_is_freed_however_long_it_lived(look, old):
    before = look()
    node = Node()
    node.self = node
    alive = weakref.ref(node)
    if old:
        gc.collect(1)  # what lives is among the old objects now
    del node
    before.changes()
    assert alive() is None


def test_threads_of_linear_algebra_that_are_limited_for_ever_are_seen(look):
    before = look()
    if max(library["num_threads"] for library in threadpool_info()) < 2:
        pytest.skip("one thread is all there is")
    limits = threadpool_limits(1)
    try:
        changes = before.changes()
    finally:
        limits.restore_original_limits()
    assert changes == ["BLAS threads"]
