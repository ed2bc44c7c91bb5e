"""Data is read-only and loaded once for all that use it; streams follow from their names."""

import numpy as np
import pytest
from scipy import sparse

from benchkit import Data
from benchkit.trial.prepared import Part, check_loaded, copied_megabytes, protected
from benchkit.trial.refusals import DataKind, kind_of
from benchkit.trial.seeds import integer, stream


def test_standard_deviations_of_the_training_part_leave_gaps_out():
    X = np.array([[1.0, np.nan, 2.0], [3.0, np.nan, np.nan], [8.0, np.nan, 4.0]])
    part = Part(X, np.zeros(3), X)
    np.testing.assert_allclose(part.means, [4, 0, 3])
    np.testing.assert_allclose(part.deviations, [np.std([1, 3, 8]), 0, 1])
    assert Part(sparse.csr_matrix(np.eye(3)), np.zeros(3), None).deviations is None


def test_what_is_protected_is_not_copied_again_and_of_a_sparse_matrix_every_array_is(tmp_path):
    X = protected(sparse.csr_matrix(np.eye(3)))
    assert not any(part.flags.writeable for part in (X.data, X.indices, X.indptr))
    assert np.array_equal(X.toarray(), np.eye(3))
    np.save(tmp_path / "X.npy", np.ones(3))
    once, mapped = protected(np.ones(3)), np.asarray(np.load(tmp_path / "X.npy", mmap_mode="r"))
    on_write = np.asarray(np.load(tmp_path / "X.npy", mmap_mode="c"))
    on_write.flags.writeable = False
    assert protected([1, 2]) == [1, 2]
    before = copied_megabytes()
    assert protected(once) is once
    assert protected(mapped) is mapped
    assert protected(view := once[1:]) is view
    assert copied_megabytes() == before
    assert protected(on_write) is not on_write


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "dataset 'odd' loaded a NoneType, expected a benchkit.Data"),
        (Data(X=np.ones(4), y=np.ones(4)), r"has a ndarray of shape \(4,\) as X, expected a row for each sample"),
        (Data(X=np.ones((4, 2)), y=np.ones(3)), r"has X of shape \(4, 2\) but y of shape \(3,\)"),
        (Data(X=np.ones((4, 2)), y=np.array([1, 2, 3, np.nan])), "has NaN or infinite values in y"),
    ],
)
def test_what_is_no_dataset_is_named(data, message):
    with pytest.raises((TypeError, ValueError), match=message):
        check_loaded(data, "odd")


def test_the_kind_of_data_is_told_of_each_object_that_differs():
    X, y = np.ones((4, 2)), np.array([0, 1, 2, 2])
    gaps = np.where(np.eye(4, 2) == 1, np.nan, X)
    assert kind_of(gaps, y, "classification") == DataKind("classification", has_gaps=True, n_classes=3)
    assert kind_of(sparse.csr_matrix(X), y, "regression") == DataKind("regression", is_sparse=True)


def test_equal_names_give_equal_streams_and_any_difference_another():
    assert np.array_equal(stream(1, "a", {"x": 1, "y": 2}).random(5), stream(1, "a", {"y": 2, "x": 1}).random(5))
    names = (("a",), ("b",), ("a", 0), ("a", "0"), ("a", None))
    numbers = {integer(seed, *each) for seed in (0, 1) for each in names}
    assert len(numbers) == 10
    assert all(0 <= number < 2**31 for number in numbers)
