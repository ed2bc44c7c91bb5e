"""Nobody writes to what trials share: neither numpy nor C code that does not ask it."""

import ctypes
import faulthandler
import gc
import mmap
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from benchkit.trial.protected import copied_megabytes, protected

ARRAYS = {
    "rows": np.arange(12.0).reshape(3, 4),
    "columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "neither": np.arange(24.0).reshape(4, 6)[::2, ::3],
    "labels": np.array(["no", "yes"]),
    "one": np.array(3.0),
    "bytes": np.arange(5, dtype=np.uint8),
    "pages": np.ones(3 * mmap.PAGESIZE),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_the_same_content_which_numpy_does_not_change(name):
    array = ARRAYS[name]
    kept = protected(array)
    assert kept.dtype == array.dtype
    assert np.array_equal(kept, array)
    assert kept.flags.c_contiguous or not array.flags.c_contiguous
    assert kept.flags.f_contiguous or not array.flags.f_contiguous
    with pytest.raises(ValueError, match="WRITEABLE"):
        kept.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        kept[...] = array


def _ends_by(write) -> int:
    """The signal that ends a process that does this; 0 where it gets away with it."""
    child = os.fork()
    if child == 0:
        try:
            faulthandler.disable()
            write()
        finally:
            os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("name", ARRAYS)
def test_c_code_that_writes_ends_its_process(name):
    kept, free = protected(ARRAYS[name]), ARRAYS[name].copy()
    assert _ends_by(lambda: ctypes.memset(kept.ctypes.data, 1, 1)) in (signal.SIGSEGV, signal.SIGBUS)
    assert _ends_by(lambda: ctypes.memset(kept.ctypes.data + kept.nbytes - 1, 1, 1)) in (signal.SIGSEGV, signal.SIGBUS)
    assert _ends_by(lambda: ctypes.memset(free.ctypes.data, 1, 1)) == 0


def test_every_array_of_a_sparse_matrix():
    X = protected(sparse.csr_matrix(np.eye(3)))
    for part in (X.data, X.indices, X.indptr):
        assert _ends_by(lambda part=part: ctypes.memset(part.ctypes.data, 1, 1)) in (signal.SIGSEGV, signal.SIGBUS)
    assert np.array_equal(X.toarray(), np.eye(3))


def test_what_is_protected_is_not_copied_again(tmp_path):
    np.save(tmp_path / "X.npy", np.ones(3))
    once, mapped = protected(np.ones(3)), np.asarray(np.load(tmp_path / "X.npy", mmap_mode="r"))
    on_write = np.asarray(np.load(tmp_path / "X.npy", mmap_mode="c"))
    on_write.flags.writeable = False
    before = copied_megabytes()
    assert protected(once) is once
    assert protected(mapped) is mapped
    assert protected(view := once[1:]) is view
    assert copied_megabytes() == before
    assert protected(on_write) is not on_write  # pages that C code may write to


def test_empty_arrays_and_arrays_of_objects_are_marked():
    for array in (np.empty((0, 3)), np.array([{}, None])):
        assert protected(array) is array
        assert not array.flags.writeable
    assert protected([1, 2]) == [1, 2]


@pytest.mark.skipif(sys.platform != "linux", reason="proc(5)")
def test_pages_go_with_their_array():
    def mappings() -> int:
        return Path("/proc/self/maps").read_text().count("\n")

    gc.collect()
    before = mappings()
    for _ in range(200):
        view = protected(np.ones(5000))[1:]
        assert view.base is not None
    del view
    assert mappings() - before < 20


def test_no_room_is_a_want_of_memory():
    with pytest.raises(MemoryError, match="no room for .* MB of data"):
        protected(np.lib.stride_tricks.as_strided(np.ones(1), (1 << 50,), (0,)))
