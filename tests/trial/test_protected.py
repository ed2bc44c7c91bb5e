"""Nobody writes by numpy to what trials share."""

import numpy as np
import pytest
from scipy import sparse

from benchkit.trial.prepared import copied_megabytes, protected

ARRAYS = {
    "rows": np.arange(12.0).reshape(3, 4),
    "columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "neither": np.arange(24.0).reshape(4, 6)[::2, ::3],
    "labels": np.array(["no", "yes"]),
    "one": np.array(3.0),
    "bytes": np.arange(5, dtype=np.uint8),
    "empty": np.empty((0, 3)),
    "objects": np.array([{}, None]),
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


def test_every_array_of_a_sparse_matrix():
    X = protected(sparse.csr_matrix(np.eye(3)))
    for part in (X.data, X.indices, X.indptr):
        with pytest.raises(ValueError, match="WRITEABLE"):
            part.flags.writeable = True
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
    assert protected(on_write) is not on_write


def test_the_array_that_was_given_stays_its_owners():
    array = np.array([{}, None])
    assert protected(array) is not array
    assert array.flags.writeable
    assert protected([1, 2]) == [1, 2]
