"""Adversaries within their budget, nested, the worst first; a group of columns is one feature, erased whole."""

from dataclasses import replace
from functools import partial
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge

from benchkit import NotApplicableError, registry
from benchkit_baselines.constant import ConstantClassifier
from benchkit_deletion.adversaries.asking import EnumerateDelete, QueryDelete
from benchkit_deletion.adversaries.given import NamedDelete, RandomDelete
from benchkit_deletion.adversaries.linear import ExactDelete, FailingFeatures, GreedyDelete, worst_order
from benchkit_deletion.plugin import ADVERSARIES
from benchkit_feature_noise.adversaries import GreedyCorrupt
from tests.attacks import attack


@pytest.fixture
def data():
    X = np.random.default_rng(0).normal(size=(40, 6))
    return X, np.where(X[:, 0] - X[:, 3] > 0, 1, -1)


def test_greedy_pays_with_values_leaves_the_input_alone_and_a_constant_model_as_it_is(data):
    X, y = data
    values = np.array([3.0, 1.0, 1.0, 2.0, 0.0, 1.0])
    before = X.copy()
    corrupted = GreedyDelete().corrupt(attack(X, y, LogisticRegression().fit(X, y), 3.0, values)).X
    np.testing.assert_array_equal(X, before)
    assert (((corrupted == 0) & (X != 0)) @ values <= 3.0 + 1e-9).all()
    np.testing.assert_array_equal(GreedyDelete().corrupt(attack(X, y, ConstantClassifier().fit(X, y), 2)).X, X)


@pytest.mark.parametrize("adversary", [GreedyDelete(), ExactDelete()])
def test_of_several_classes_the_rival_that_deletion_brings_nearest_is_found_as_by_enumeration(adversary):
    rng = np.random.default_rng(0)
    X, own = rng.normal(1.0, size=(60, 5)), np.arange(60)
    y = (X @ rng.normal(size=(5, 4)) + rng.normal(size=(60, 4))).argmax(axis=1)
    model = LogisticRegression().fit(X, y)

    def leads(rows):
        scores = model.decision_function(rows)
        return scores[own, y] - np.where(np.arange(4) == y[:, np.newaxis], -np.inf, scores).max(axis=1)

    sets = [list(gone) for size in (0, 1, 2) for gone in combinations(range(5), size)]
    least = np.min([leads(X * ~np.isin(np.arange(5), gone)) for gone in sets], axis=0)
    assert leads(adversary.corrupt(attack(X, y, model, 2)).X) == pytest.approx(least)


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=str)
def test_sparse_rows_are_deleted_from_as_dense_ones_are_and_stay_sparse(adversary, data):
    X, y = data
    X = np.where(np.abs(X) < 0.4, 0.0, X)
    model = (Ridge() if adversary.tasks == ("regression",) else LogisticRegression()).fit(X, y)
    attacks = (attack(rows, y, model, 2) for rows in (X, csr_matrix(X)))
    dense, sparse = (adversary.make(**adversary.example).corrupt(each).X for each in attacks)
    assert issparse(sparse)
    assert (dense != X).any()
    np.testing.assert_array_equal(sparse.toarray(), dense)


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


def test_named_features_go_with_their_probability():
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


@pytest.fixture
def rows():
    return np.random.default_rng(3).standard_normal((30, 5))


@pytest.mark.parametrize("order", ["worst", "random"])
def test_what_is_dead_stays_dead_for_all_rows(rows, order):
    coef, y, before = np.array([[1, -2, 3, 0.5, 1]]), np.where(np.arange(30) % 2, 1, -1), []
    model = SimpleNamespace(coef_=coef, intercept_=np.array([0.25]), classes_=np.array([-1, 1]))
    for budget in range(6):
        found = FailingFeatures(order).corrupt(attack(rows, y, model, budget, seed=0))
        dead = found.truth["dead_features"].tolist()
        assert dead[:-1] == before if budget else dead == []
        assert sorted(np.flatnonzero((found.X == 0).all(axis=0))) == sorted(dead)
        alive = np.setdiff1d(np.arange(5), dead)
        assert np.array_equal(found.X[:, alive], rows[:, alive])
        before = dead


def test_each_step_causes_the_most_errors_and_equals_are_decided_by_the_mean_margin(rows):
    contributions, base = rows * np.array([1, -2, 3, 0.5, 1]), np.full(30, 0.25)
    order = worst_order(contributions, base, 5)
    for step in range(5):
        dead = list(order[:step])

        def errors(feature, dead=dead):
            alive = np.setdiff1d(np.arange(5), [*dead, feature])
            return int((base + contributions[:, alive].sum(axis=1) <= 0).sum())

        rest = [feature for feature in range(5) if feature not in dead]
        assert errors(order[step]) == max(errors(feature) for feature in rest)
    contributions = np.array([[3.0, 1.0, 2.0]] * 2)  # no single death turns a row
    assert worst_order(contributions, np.array([5.0, 5.0]), 3).tolist() == [0, 2, 1]


# Columns 1 and 2, and 3, 4 and 5, are groups: four features of seven columns.
GROUPS = ([1, 2], [5, 3, 4])
FEATURES = ([0], [1, 2], [3, 4, 5], [6])


def scene(budget, groups=GROUPS, one_hot=True, values=None):
    rng = np.random.default_rng(3)
    n = 60
    X = rng.normal(size=(n, 7))
    if one_hot:
        for group in GROUPS:
            X[:, group] = np.eye(len(group))[rng.integers(0, len(group), n)]
    y = np.where(X @ rng.normal(size=7) + 0.3 * rng.normal(size=n) > 0, 1, -1)
    model = LogisticRegression(C=10).fit(X, y)
    if values is None:
        values = np.array([1, 1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3, 1])
    names = {"feature_names": tuple("abcdefg"), "groups": groups, "group_names": ("b=", "d=")}
    left = {"means": X.mean(axis=0), "imputed": np.full(7, 0.25), "takes_missing": False}
    return attack(X, y, model, budget, np.asarray(values, dtype=float), seed=0, **names, **left)


def deleted(act, result, left=0.0):
    """Which features of each row are gone, where a feature is all gone or all there."""
    same = np.stack([(result.X[:, cols] == act.X[:, cols]).all(axis=1) for cols in FEATURES], axis=1)
    gone = np.stack([(result.X[:, cols] == np.broadcast_to(left, 7)[cols]).all(axis=1) for cols in FEATURES], axis=1)
    assert (same | gone).all()
    return gone & ~same


def margins(act, X):
    return act.y * act.model.decision_function(X)


def worst_margins(act, costs, left):
    """The least margin of each row over all deletions of whole features that the budget pays."""
    worst = margins(act, act.X)
    for count in (1, 2):
        for going in combinations(range(4), count):
            if costs[list(going)].sum() <= act.budget:
                columns = [column for feature in going for column in FEATURES[feature]]
                X = act.X.copy()
                X[:, columns] = left[columns]
                worst = np.minimum(worst, margins(act, X))
    return worst


@pytest.mark.parametrize("one_hot", [True, False])
@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
@pytest.mark.parametrize("adversary", [GreedyDelete, ExactDelete, EnumerateDelete])
def test_the_worst_case_is_that_of_enumeration_over_whole_features(adversary, fill, one_hot):
    act = scene(2, one_hot=one_hot)
    left = {"zero": np.zeros(7), "mean": act.means, "nan": act.imputed}[fill]
    result = adversary(fill=fill).corrupt(act)
    np.testing.assert_allclose(margins(act, result.X), worst_margins(act, np.ones(4), left), atol=1e-12)
    assert deleted(act, result, left).sum(axis=1).max() == 2


def test_the_exact_adversary_pays_for_a_group_what_its_columns_cost():
    act = scene(1.6, values=[0.7, 0.5, 0.8, 0.2, 0.3, 0.4, 1.1])  # features of 0.7, 1.3, 0.9 and 1.1
    costs = np.array([0.7, 1.3, 0.9, 1.1])
    result = ExactDelete().corrupt(act)
    np.testing.assert_allclose(margins(act, result.X), worst_margins(act, costs, np.zeros(7)), atol=1e-12)
    assert (deleted(act, result) @ costs).max() <= 1.6


@pytest.mark.parametrize("budget", [1, 2, 4])
def test_others_count_features_and_take_them_whole(budget):
    act = scene(budget)
    for adversary in (RandomDelete(), FailingFeatures(), FailingFeatures("random")):
        gone = deleted(act, adversary.corrupt(replace(act, rng=np.random.default_rng(0))))
        # A number is never zero here; a block that is gone was not gone before.
        assert (gone.sum(axis=1) == budget).all()
    result = NamedDelete(["d=", 2, "a"]).corrupt(replace(act, budget=2))
    assert deleted(act, result).tolist() == [[False, True, True, False]] * 60
    with pytest.raises(ValueError, match="names one feature twice"):
        NamedDelete([1, "c"]).corrupt(replace(act, budget=2))
    changed = GreedyCorrupt().corrupt(act).X != act.X
    for feature in FEATURES:
        assert (changed[:, feature].all(axis=1) == changed[:, feature].any(axis=1)).all()


def test_nan_is_left_to_a_model_that_takes_it_and_to_no_other():
    act = scene(2)
    boosted = HistGradientBoostingClassifier(max_iter=20).fit(act.X, act.y)
    for adversary in (QueryDelete(fill="nan"), RandomDelete(fill="nan"), EnumerateDelete(fill="nan")):
        X = adversary.corrupt(replace(act, model=boosted, takes_missing=True)).X
        gone = np.stack([np.isnan(X[:, feature]).all(axis=1) for feature in FEATURES], axis=1)
        assert np.isnan(X).sum() == (gone * [1, 2, 3, 1]).sum() > 0
        assert gone.sum(axis=1).max() <= 2
    act = scene(1)
    with pytest.raises(NotApplicableError, match=r"add \{impute-where-needed: mean\} to 'preprocess'"):
        GreedyDelete(fill="nan").corrupt(replace(act, imputed=None))
    with pytest.raises(NotApplicableError, match="query-delete asks the model"):
        GreedyDelete(fill="nan").corrupt(replace(act, takes_missing=True))
    for adversary in (EnumerateDelete, QueryDelete):
        with pytest.raises(NotApplicableError, match="its predictions take no missing values"):
            adversary(fill="nan").corrupt(replace(act, takes_missing=True))


@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
@pytest.mark.parametrize(
    "make", [FailingFeatures, partial(FailingFeatures, "random"), partial(NamedDelete, ["c", "a"])]
)
def test_a_deleted_feature_is_left_as_the_fill_says(make, fill):
    act = scene(2)
    left = {"zero": np.zeros(7), "mean": act.means, "nan": act.imputed}[fill]
    assert deleted(act, make(fill=fill).corrupt(act), left).any()
