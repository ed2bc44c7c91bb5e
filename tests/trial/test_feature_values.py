"""Mutual-information values against the definition."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import mutual_info_score

from benchkit.plugin.declarations import Data
from benchkit.trial.preparation import feature_values, mutual_information_values


def by_definition(X, y):
    """max over all midpoints of the mutual information, scaled to sum to n."""
    found = []
    for column in X.T:
        levels = np.unique(column)
        cuts = (levels[1:] + levels[:-1]) / 2
        found.append(max([mutual_info_score(column > cut, y) for cut in cuts], default=0.0))
    found = np.array(found)
    return found * len(found) / found.sum()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_equals_the_definition(classes, make):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(60, 7)).astype(float)
    y = (X[:, 0] > 0) + (rng.random(60) < 0.3) * rng.integers(0, classes, 60)
    np.testing.assert_allclose(mutual_information_values(make(X), y), by_definition(X, y), atol=1e-12)


def test_constant_features_are_worth_nothing():
    X = np.column_stack([np.ones(10), np.arange(10.0)])
    values = mutual_information_values(X, np.repeat([-1, 1], 5))
    np.testing.assert_allclose(values, [0, 2])


def test_kinds():
    X, y = np.eye(3), np.array([0, 1, 1])
    data = Data(X=X, y=y, feature_values=np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(feature_values("uniform", X, y, data), [1, 1, 1])
    np.testing.assert_array_equal(feature_values("given", X, y, data), [1, 2, 3])
    np.testing.assert_array_equal(feature_values([4.0, 5.0, 6.0], X, y, data), [4, 5, 6])
    with pytest.raises(ValueError, match="declares none"):
        feature_values("given", X, y, Data(X=X, y=y))
    with pytest.raises(ValueError, match="2 feature values given for 3"):
        feature_values([1.0, 2.0], X, y, data)
    with pytest.raises(ValueError, match="all zero"):
        mutual_information_values(np.ones((3, 2)), y)
