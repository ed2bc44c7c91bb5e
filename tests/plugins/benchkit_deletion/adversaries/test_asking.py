"""Adversaries that ask any model, against enumeration, greedy deletion and the exact adversary of trees."""

from dataclasses import replace
from itertools import chain, combinations
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from benchkit import NotApplicableError
from benchkit_deletion.adversaries.asking import (
    EnumerateDelete,
    FailingColumnsQuery,
    QueryDelete,
    QueryDeleteRegression,
)
from benchkit_deletion.adversaries.exact_tree_delete import ExactTreeDelete
from benchkit_deletion.adversaries.linear import GreedyDelete
from benchkit_feature_noise.adversaries import QueryCorrupt
from tests.attacks import attack

GROUPS = ([1, 2],)
FEATURES = ([0], [1, 2], [3], [4], [5])


def attack_on(model, budget, classes=2, groups=(), **changes):
    X = np.random.default_rng(5).normal(size=(80, 6))
    signal = X[:, 0] + X[:, 1] * X[:, 2] - 0.7 * X[:, 3]
    y = signal + 3 if classes == 0 else np.digitize(signal, [0.0] if classes == 2 else [-0.7, 0.7]) + 4
    names = {"feature_names": tuple("abcdef"), "groups": groups, "group_names": ("bc",) if groups else ()}
    return attack(X, y, model.fit(X, y), budget, means=X.mean(axis=0), **{**names, **changes})


def without(act, features, chosen, left):
    X = act.X.copy()
    columns = [column for feature in chosen for column in features[feature]]
    X[:, columns] = left[columns]
    return X


def sets(n, budget):
    return chain.from_iterable(combinations(range(n), size) for size in range(budget + 1))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [RandomForestClassifier(10, random_state=0), LinearSVC(), SVC(), KNeighborsClassifier(), LogisticRegression()],
    ids=lambda model: type(model).__name__,
)
def test_no_set_of_columns_does_more(model, classes):
    act = attack_on(model, 2, classes, GROUPS)
    result = FailingColumnsQuery(fill="mean").corrupt(act)
    errors = [(model.predict(without(act, FEATURES, chosen, act.means)) != act.y).mean() for chosen in sets(5, 2)]
    assert (model.predict(result.X) != act.y).mean() == max(errors)
    assert result.truth["is_worst"]
    assert not FailingColumnsQuery(exact_below=0).corrupt(act).truth["is_worst"]
    dead = result.truth["dead_features"]
    np.testing.assert_array_equal(result.X, without(act, FEATURES, dead, act.means))
    assert result.truth["dead_names"] == [("a", "bc", "d", "e", "f")[feature] for feature in dead]


@pytest.mark.parametrize(("loss", "power"), [("absolute", 1), ("squared", 2)])
def test_no_set_of_columns_does_more_in_regression(loss, power):
    model = GradientBoostingRegressor(n_estimators=20, random_state=0)
    act = attack_on(model, 3, 0)
    result = FailingColumnsQuery(loss=loss).corrupt(act)
    plain = [[column] for column in range(6)]
    every = [result.X, *(without(act, plain, chosen, np.zeros(6)) for chosen in sets(6, 3))]
    reached, *errors = ((np.abs(model.predict(X) - act.y) ** power).mean() for X in every)
    assert reached == pytest.approx(max(errors), rel=1e-12)


@pytest.mark.parametrize("groups", [(), GROUPS])
@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
def test_the_worst_deletion_of_each_row_in_regression(fill, groups):
    model = RandomForestRegressor(8, max_depth=4, random_state=0)
    act = attack_on(model, 2, 0, groups)
    features = FEATURES if groups else [[column] for column in range(6)]
    act = replace(act, feature_values=np.array([1, 0.5, 0.5, 1, 1, 1]) if groups else np.ones(6))
    left = act.left_by(fill)
    result = QueryDeleteRegression(fill=fill, beam=64).corrupt(act)
    every = [np.abs(model.predict(without(act, features, chosen, left)) - act.y) for chosen in sets(len(features), 2)]
    np.testing.assert_allclose(np.abs(model.predict(result.X) - act.y), np.max(every, axis=0))
    exact = ExactTreeDelete(fill=fill).corrupt(act)
    np.testing.assert_allclose(-exact.truth["worst_score"], np.max(every, axis=0), rtol=1e-6)
    np.testing.assert_allclose(np.abs(model.predict(exact.X) - act.y), np.max(every, axis=0), rtol=1e-6)


@pytest.fixture
def data():
    X = np.random.default_rng(0).normal(size=(60, 6))
    return X, np.where(X[:, 0] + 0.8 * X[:, 1] - X[:, 3] > 0, 1, -1)


@pytest.mark.parametrize("values", [None, np.array([0.0, 1.5, 0.7, 2.0, 1.0, 0.3])])
@pytest.mark.parametrize("budget", [0.0, 1.0, 3.0, 6.0])
def test_does_what_greedy_delete_does_on_a_linear_model(data, values, budget):
    X, y = data
    act = attack(X, y, LogisticRegression().fit(X, y), min(budget, 5.5), values)
    greedy = QueryDelete(beam=1, stop_when_fooled=False)
    by_queries, by_weights = greedy.corrupt(act).X, GreedyDelete().corrupt(act).X
    if values is None:
        np.testing.assert_array_equal(by_queries, by_weights)
    # A last feature of small ratio and large gain is worth more than the greedy one: the lowest score seen counts.
    margins = [np.where(y == 1, 1, -1) * act.model.decision_function(each) for each in (by_queries, by_weights)]
    assert (margins[0] <= margins[1] + 1e-12).all()


def test_many_classes_through_a_pipeline(data):
    X, _ = data
    y = np.array(["low", "mid", "high"])[np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    assert model.score(QueryDelete().corrupt(attack(X, y, model, 1)).X, y) < model.score(X, y) - 0.1


def test_candidates_limit_later_steps(data):
    X, y = data
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    assert ((QueryDelete(candidates=2).corrupt(attack(X, y, forest, 3)).X != X).sum(axis=1) <= 2).all()
    every = QueryDelete(candidates=6).corrupt(attack(X, y, forest, 3)).X
    np.testing.assert_array_equal(every, QueryDelete().corrupt(attack(X, y, forest, 3)).X)


class Vault:
    """Opens only when features 1 and 2 are both gone; one alone makes the score better."""

    classes_ = np.array([-1, 1])

    def decision_function(self, X):
        gone = (X[:, 1] == 0).astype(float) + (X[:, 2] == 0)
        return np.where(gone == 2, -1.0, 1.0 + gone)


@pytest.mark.parametrize(("beam", "opens"), [(1, False), (8, True)])
def test_a_beam_crosses_what_no_single_deletion_improves(data, beam, opens):
    X, _ = data
    corrupted = QueryDelete(beam=beam).corrupt(attack(X, np.ones(len(X), dtype=int), Vault(), 2)).X
    assert (corrupted[:, 1:3] == 0).all() == opens


@pytest.mark.parametrize("values", [None, np.array([1.0, 1.5, 0.7, 2.0, 1.0, 0.3])])
def test_rows_that_are_fooled_are_left_and_are_no_fewer(data, values):
    X, y = data
    forest = RandomForestClassifier(20, random_state=0).fit(X[:40], y[:40])
    act = attack(X, y, forest, 3.0, values)
    fooled, whole = (QueryDelete(stop_when_fooled=stop).corrupt(act) for stop in (True, False))
    assert forest.score(fooled.X, y) == forest.score(whole.X, y)
    assert fooled.truth["queries"] < whole.truth["queries"]
    assert (((fooled.X == 0) & (X != 0)) @ act.feature_values <= 3.0 + 1e-9).all()


def test_corruption_chooses_what_deletion_does_and_draws_the_same_for_every_budget(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    few, more = (QueryCorrupt().corrupt(attack(X, y, model, budget)).X for budget in (1, 3))
    deleted = QueryDelete(stop_when_fooled=False).corrupt(attack(X, y, model, 3)).X
    np.testing.assert_array_equal(more != X, deleted != X)
    both = (few != X) & (more != X)
    assert both.any()
    np.testing.assert_array_equal(few[both], more[both])


def test_misuse_is_named(data):
    X, y = data
    with pytest.raises(NotApplicableError, match="a row has 6 features"):
        EnumerateDelete(max_features=5).corrupt(attack(X, y, LogisticRegression().fit(X, y), 1))
    with pytest.raises(NotApplicableError, match="SimpleNamespace has neither"):
        QueryDelete().corrupt(attack(X, y, SimpleNamespace(classes_=np.array([-1, 1])), 1))
