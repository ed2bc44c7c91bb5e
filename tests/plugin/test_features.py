"""Which columns are one feature."""

import numpy as np
import pytest
from scipy import sparse

from benchkit import Features


def test_features_are_in_the_order_of_their_first_columns():
    features = Features(6, [[4, 1], [5, 2]])
    assert features.of_column.tolist() == [0, 1, 2, 3, 1, 2]
    columns = np.arange(12.0).reshape(2, 6)
    sums = features.sum(columns)
    assert sums.tolist() == [[0, 5, 7, 3], [6, 17, 19, 9]]
    assert features.spread(np.array([True, False, True, False])).tolist() == [True, False, True, False, False, True]
    np.testing.assert_allclose(features.sum(features.share(sums)), sums)


def test_without_groups_every_column_is_a_feature():
    features = Features(3)
    columns = np.arange(3.0)
    assert features.plain
    assert features.sum(columns) is features.spread(columns) is features.share(columns) is columns


@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix])
def test_one_hot(make):
    features = Features(3, [[0, 1]])
    assert features.one_hot(make([[1.0, 0, 5], [0, 2, 0], [0, 0, 1]]))
    assert not features.one_hot(make([[1.0, 1, 0]]))


@pytest.mark.parametrize(
    ("groups", "message"),
    [([[0, 1], [1, 2]], "in two groups"), ([[0, 0]], "twice in one"), ([[2, 3]], "columns are 0 to 2")],
)
def test_groups_that_are_none(groups, message):
    with pytest.raises(ValueError, match=message):
        Features(3, groups)
