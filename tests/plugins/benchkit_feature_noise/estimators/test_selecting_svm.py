"""The support vector machine on the features that a ranking puts first."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.svm import SVC

from benchkit_feature_noise.estimators.feature_ranking import (
    RANKINGS,
    FeatureSelectingSVM,
    deleted_features,
    deletion_frequency,
)


@pytest.fixture
def data():
    """Signs of 8 features, of which the third and the sixth tell the class."""
    rng = np.random.default_rng(5)
    X = rng.integers(2, size=(120, 8)).astype(float)
    y = np.where(X[:, 2] + X[:, 5] + 0.5 * rng.standard_normal(120) > 1, 1, -1)
    return X, y


@pytest.mark.parametrize("by", ["deletion", "information-gain"])
def test_rankings_find_the_telling_features(data, by):
    X, y = data
    model = FeatureSelectingSVM(by=by, n_selected=2, n_deleted=1).fit(X, y)
    assert sorted(model.selected_) == [2, 5]
    same = SVC(kernel="linear").fit(X[:, model.selected_], y)
    assert np.array_equal(model.predict(X), same.predict(X[:, model.selected_]))
    assert np.array_equal(model.coef_[0, model.selected_], same.coef_[0])
    assert not np.delete(model.coef_[0], model.selected_).any()


def test_a_random_order_is_one_of_all_orders(data):
    orders = {
        tuple(FeatureSelectingSVM(by="random", n_selected=8, random_state=s).fit(*data).selected_) for s in (0, 1)
    }
    assert len(orders) == 2
    assert {frozenset(order) for order in orders} == {frozenset(range(8))}


@pytest.mark.parametrize("by", RANKINGS)
def test_sparse_rows_are_the_same_rows(data, by):
    X, y = data
    dense = FeatureSelectingSVM(by=by, n_selected=3, n_deleted=1, random_state=0).fit(X, y)
    sparse = FeatureSelectingSVM(by=by, n_selected=3, n_deleted=1, random_state=0).fit(csr_matrix(X), y)
    assert dense.selected_.tolist() == sparse.selected_.tolist()
    assert np.allclose(dense.coef_, sparse.coef_, atol=1e-3)


def test_deleted_features_are_counted_by_their_frequency(data):
    X, y = data
    model = SVC(kernel="linear").fit(X, y)
    mask = deleted_features(model, X, y, 2)
    assert mask.shape == X.shape
    assert mask.sum(axis=1).max() <= 2
    assert np.array_equal(mask.mean(axis=0), deletion_frequency(model, X, y, 2))
    contributions = y[:, None] * X * model.coef_[0]
    assert (contributions[mask] > 0).all()


def test_an_unknown_ranking_is_refused(data):
    with pytest.raises(ValueError, match="by is 'luck', expected one of deletion"):
        FeatureSelectingSVM(by="luck").fit(*data)
