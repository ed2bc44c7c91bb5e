"""The digest sees values, not their layout."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix

from benchkit.data.cache import digest_data
from benchkit.plugin.declarations import Data

X = np.array([[0.0, 1.0], [2.0, 0.0]])
Y = np.array([1, -1])


def test_layout_does_not_count():
    expected = digest_data(Data(X=X, y=Y))
    assert digest_data(Data(X=np.asfortranarray(X.astype(np.float32)), y=Y.astype(np.int8))) == expected
    assert digest_data(Data(X=np.where(X == 0, -0.0, X), y=Y)) == expected
    sparse = digest_data(Data(X=csr_matrix(X), y=Y))
    stored = coo_matrix(([1.0, 2.0, 0.0], ([0, 1, 1], [1, 0, 1])), shape=(2, 2))
    assert digest_data(Data(X=csc_matrix(X), y=Y)) == sparse
    assert digest_data(Data(X=stored, y=Y)) == sparse


@pytest.mark.parametrize(
    "other",
    [
        Data(X=X + np.array([[0, 0], [0, 1e-12]]), y=Y),
        Data(X=X[::-1], y=Y),
        Data(X=X.reshape(1, 4), y=Y),
        Data(X=X, y=-Y),
        Data(X=X, y=np.array(["a", "b"])),
    ],
)
def test_values_count(other):
    assert digest_data(other) != digest_data(Data(X=X, y=Y))


def test_every_nan_is_one():
    payload = np.array([np.nan], dtype=float)
    payload.view(np.uint64)[0] |= 1
    one, other = (Data(X=np.array([[value]]), y=np.array([1])) for value in (np.nan, payload[0]))
    assert digest_data(one) == digest_data(other)
