"""Adversaries of linear models, at random and by name: within their budget, nested, the worst first."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.linear_model import LogisticRegression, Ridge

from benchkit import registry
from benchkit_baselines.constant import ConstantClassifier
from benchkit_deletion.adversaries.given import NamedDelete, RandomDelete
from benchkit_deletion.adversaries.linear import FailingFeatures, GreedyDelete, worst_order
from benchkit_deletion.plugin import ADVERSARIES
from tests.attacks import attack


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    return X, np.where(X[:, 0] - X[:, 3] > 0, 1, -1)


def test_greedy_deletes_the_top_contributions(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    corrupted = GreedyDelete().corrupt(attack(X, y, model, 2)).X
    gains = y[:, None] * X * model.coef_
    expected = X.copy()
    for row, gain in enumerate(gains):
        top = [j for j in np.argsort(-gain)[:2] if gain[j] > 0]
        expected[row, top] = 0
    np.testing.assert_array_equal(corrupted, expected)
    assert (model.predict(corrupted) != y).mean() > (model.predict(X) != y).mean()


def test_greedy_pays_with_values_and_leaves_the_input_alone(data):
    X, y = data
    values = np.array([3.0, 1.0, 1.0, 2.0, 0.0, 1.0])
    before = X.copy()
    corrupted = GreedyDelete().corrupt(attack(X, y, LogisticRegression().fit(X, y), 3.0, values)).X
    np.testing.assert_array_equal(X, before)
    assert (((corrupted == 0) & (X != 0)) @ values <= 3.0 + 1e-9).all()


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=str)
def test_sparse_rows_are_deleted_from_as_dense_ones_are_and_stay_sparse(adversary, data):
    X, y = data
    X = np.where(np.abs(X) < 0.4, 0.0, X)
    model = (Ridge() if adversary.tasks == ("regression",) else LogisticRegression()).fit(X, y)
    dense, sparse = (
        adversary.make(**adversary.example).corrupt(attack(rows, y, model, 2)).X for rows in (X, csr_matrix(X))
    )
    assert issparse(sparse)
    assert (dense != X).any()
    np.testing.assert_array_equal(sparse.toarray(), dense)


def test_greedy_deletes_nothing_from_a_constant_model(data):
    X, y = data
    constant = ConstantClassifier().fit(X, y)
    np.testing.assert_array_equal(GreedyDelete().corrupt(attack(X, y, constant, 2)).X, X)


@pytest.mark.parametrize("among", ["all", "nonzero"])
def test_random_deletes_as_many_as_allowed_and_nests(data, among):
    X, y = data
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    previous = np.zeros(X.shape, dtype=bool)
    for budget in range(7):
        corrupted = RandomDelete(among).corrupt(attack(X, y, None, budget)).X
        gone = (corrupted == 0) & (X != 0)
        assert (previous <= gone).all()
        if among == "nonzero":
            np.testing.assert_array_equal(gone.sum(1), np.minimum(budget, (X != 0).sum(1)))
        previous = gone
    assert not corrupted.any()


def test_named_deletes_in_the_given_order(data):
    X, y = data
    names = [f"x{j}" for j in range(6)]
    adversary = NamedDelete(["x4", 1])
    for budget, gone in ((0, []), (1, [4]), (2, [4, 1])):
        corrupted = adversary.corrupt(attack(X, y, None, budget, feature_names=names)).X
        expected = X.copy()
        expected[:, gone] = 0
        np.testing.assert_array_equal(corrupted, expected)


def test_named_with_probability(data):
    X, y = np.ones((4000, 2)), np.ones(4000)
    corrupted = NamedDelete([0], probability=0.3).corrupt(attack(X, y, None, 1)).X
    assert 0.25 < (corrupted[:, 0] == 0).mean() < 0.35
    assert (corrupted[:, 1] == 1).all()


def test_bad_parameters_are_named(data):
    X, y = data
    with pytest.raises(ValueError, match="no feature is named 'y'"):
        NamedDelete(["y"]).corrupt(attack(X, y, None, 1, feature_names=["x"]))
    with pytest.raises(ValueError, match="exceeds the 1 named"):
        NamedDelete([0]).corrupt(attack(X, y, None, 2))
    with pytest.raises(ValueError, match="no feature 9"):
        NamedDelete([9]).corrupt(attack(X, y, None, 1))
    for name, params in (
        ("named-delete", {"probability": 2, "features": [0]}),
        ("random-delete", {"among": "some"}),
        ("exact-delete", {"work_limit": 0}),
        ("query-delete", {"candidates": 0}),
        ("query-delete-regression", {"beam": 0}),
        ("enumerate-delete", {"max_features": 21}),
        ("failing-features", {"order": "best"}),
        ("failing-columns-query", {"exact_below": -1}),
        ("failing-columns-query", {"loss": "log"}),
        ("exact-tree-delete", {"node_limit": 0}),
        ("greedy-corrupt", {"noise": "loud"}),
        *((each.name, {"fill": "none"}) for each in ADVERSARIES if each.name != "named-delete"),
    ):
        with pytest.raises(ValueError, match=next(iter(params))):
            registry().adversaries[name].make(**params)


def failing(X, coef, budget):
    model = SimpleNamespace(
        coef_=np.array([coef], dtype=float), intercept_=np.array([0.25]), classes_=np.array([-1, 1])
    )
    return attack(X, np.where(np.arange(len(X)) % 2, 1, -1), model, budget, seed=0)


@pytest.fixture
def rows():
    return np.random.default_rng(3).standard_normal((30, 5))


@pytest.mark.parametrize("order", ["worst", "random"])
def test_what_is_dead_stays_dead_for_all_rows(rows, order):
    before: list[int] = []
    for budget in range(6):
        found = FailingFeatures(order).corrupt(failing(rows, [1, -2, 3, 0.5, 1], budget))
        dead = found.truth["dead_features"].tolist()
        assert dead[:-1] == before if budget else dead == []
        assert sorted(np.flatnonzero((found.X == 0).all(axis=0))) == sorted(dead)
        alive = np.setdiff1d(np.arange(5), dead)
        assert np.array_equal(found.X[:, alive], rows[:, alive])
        before = dead


def test_each_step_causes_the_most_errors(rows):
    contributions, base = rows * np.array([1, -2, 3, 0.5, 1]), np.full(30, 0.25)
    order = worst_order(contributions, base, 5)
    for step in range(5):
        dead = list(order[:step])

        def errors(feature, dead=dead):
            alive = np.setdiff1d(np.arange(5), [*dead, feature])
            return int((base + contributions[:, alive].sum(axis=1) <= 0).sum())

        rest = [feature for feature in range(5) if feature not in dead]
        assert errors(order[step]) == max(errors(feature) for feature in rest)


def test_equals_are_decided_by_the_mean_margin():
    contributions = np.array([[3.0, 1.0, 2.0]] * 2)  # no single death turns a row
    assert worst_order(contributions, np.array([5.0, 5.0]), 3).tolist() == [0, 2, 1]
