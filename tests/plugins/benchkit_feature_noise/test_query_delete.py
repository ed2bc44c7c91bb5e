"""The querying adversary: greedy on linear models, and at work on others."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchkit import Attack, NotApplicableError
from benchkit_feature_noise.greedy_delete import GreedyDelete
from benchkit_feature_noise.query_delete import QueryDelete


def attack(X, y, model, budget, values=None):
    values = np.ones(X.shape[1]) if values is None else values
    rng = np.random.default_rng(3)
    return Attack(X=X, y=y, budget=budget, feature_values=values, rng=rng, model=model, raw=X)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    return X, np.where(X[:, 0] + 0.8 * X[:, 1] - X[:, 3] > 0, 1, -1)


@pytest.mark.parametrize("values", [None, np.array([0.0, 1.5, 0.7, 2.0, 1.0, 0.3])])
@pytest.mark.parametrize("budget", [0.0, 1.0, 3.0, 6.0])
def test_is_greedy_delete_on_a_linear_model(data, values, budget):
    X, y = data
    act = attack(X, y, LogisticRegression().fit(X, y), min(budget, 5.5), values)
    np.testing.assert_array_equal(QueryDelete().corrupt(act).X, GreedyDelete().corrupt(act).X)


def test_sparse_input_gives_the_same(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    found = QueryDelete().corrupt(attack(csr_matrix(X), y, model, 2)).X
    np.testing.assert_array_equal(found.toarray(), QueryDelete().corrupt(attack(X, y, model, 2)).X)


def test_fools_a_forest_within_the_budget(data):
    X, y = data
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    values = np.array([1.0, 2.0, 1.0, 1.0, 0.5, 0.5])
    corrupted = QueryDelete().corrupt(attack(X, y, forest, 2.0, values)).X
    assert (((corrupted == 0) & (X != 0)) @ values <= 2.0).all()
    assert forest.score(corrupted, y) < forest.score(X, y) - 0.2


def test_many_classes_through_a_pipeline(data):
    X, _ = data
    y = np.array(["low", "mid", "high"])[np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    assert model.score(QueryDelete().corrupt(attack(X, y, model, 1)).X, y) < model.score(X, y) - 0.1


def test_candidates_limit_later_steps(data):
    X, y = data
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    few = QueryDelete(candidates=1).corrupt(attack(X, y, forest, 3)).X
    assert ((few != X).sum(axis=1) <= 1).all()
    every = QueryDelete(candidates=6).corrupt(attack(X, y, forest, 3)).X
    np.testing.assert_array_equal(every, QueryDelete().corrupt(attack(X, y, forest, 3)).X)


def test_misuse_is_named(data):
    X, y = data
    with pytest.raises(ValueError, match="candidates is 0"):
        QueryDelete(candidates=0)

    class Silent:
        classes_ = np.array([-1, 1])

    with pytest.raises(NotApplicableError, match="Silent has neither"):
        QueryDelete().corrupt(attack(X, y, Silent(), 1))
