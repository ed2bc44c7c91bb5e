"""Ranking features by deletion and by information gain, and a machine on those that come first."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from benchkit_feature_noise.estimators.feature_ranking import (
    FeatureSelectingSVM,
    deletion_frequency,
    information_gain,
    ranking,
)


@pytest.fixture
def data():
    """Three features that agree with the label in 95, 75 and 50 % of the rows, and a constant one."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 400)
    agree = rng.random((400, 3)) < [0.95, 0.75, 0.5]
    return np.column_stack([np.where(agree, y[:, None], -y[:, None]), np.ones(400)]), y


def test_frequency_counts_the_top_contributions(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    gains = y[:, None] * X * model.coef_
    expected = np.zeros(4)
    for row in gains:
        expected[[j for j in np.argsort(-row)[:2] if row[j] > 0]] += 1 / len(X)
    np.testing.assert_allclose(deletion_frequency(model, X, y, 2), expected)
    np.testing.assert_allclose(deletion_frequency(model, X, y, 4, feature_values=np.full(4, 2.0)), expected)


def test_gain_is_the_mutual_information(data):
    X, y = data
    joint = np.array([[((X[:, 0] > 0) == a).astype(float) @ (y == b) for b in (-1, 1)] for a in (False, True)]) / 400
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    gain = information_gain(X, y)
    assert gain[0] == pytest.approx((joint * np.log(joint / independent)).sum())
    assert gain[3] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(information_gain(csr_matrix(X), y), gain, atol=1e-12)
    with pytest.raises(ValueError, match="threshold"):
        information_gain(csr_matrix(X), y, threshold=-1)


def test_equals_keep_their_order():
    assert ranking(np.array([0.1, 0.5, 0.5, 0.0])).tolist() == [1, 2, 0, 3]


@pytest.fixture
def words():
    """Signs of 8 features, of which the third and the sixth tell the class."""
    rng = np.random.default_rng(5)
    X = rng.integers(2, size=(120, 8)).astype(float)
    y = np.where(X[:, 2] + X[:, 5] + 0.5 * rng.standard_normal(120) > 1, 1, -1)
    return X, y


@pytest.mark.parametrize("by", ["deletion", "information-gain"])
def test_rankings_find_the_telling_features(words, by):
    X, y = words
    model = FeatureSelectingSVM(by=by, n_selected=2, n_deleted=1).fit(X, y)
    assert sorted(model.selected_) == [2, 5]
    same = SVC(kernel="linear").fit(X[:, model.selected_], y)
    assert np.array_equal(model.predict(X), same.predict(X[:, model.selected_]))
    assert np.array_equal(model.coef_[0, model.selected_], same.coef_[0])
    assert not np.delete(model.coef_[0], model.selected_).any()


def test_a_random_order_is_one_of_all_orders(words):
    orders = {
        tuple(FeatureSelectingSVM(by="random", n_selected=8, random_state=s).fit(*words).selected_) for s in (0, 1)
    }
    assert len(orders) == 2
    assert {frozenset(order) for order in orders} == {frozenset(range(8))}
