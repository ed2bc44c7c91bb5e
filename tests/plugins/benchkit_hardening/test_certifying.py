"""A vote over parts of the features, and a model for each gap: what they certify is true."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import benchkit
from benchkit import NotApplicableError
from benchkit_deletion.adversaries.asking import EnumerateDelete
from benchkit_hardening import certified
from benchkit_hardening.certified import FeaturePartition, GapModel
from tests.attacks import attack, judged


def tree():
    return DecisionTreeClassifier(max_depth=3, random_state=0)


@pytest.fixture
def table():
    """Three classes; eight columns, of which two groups: six features."""
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=240)
    X = rng.normal(size=(240, 8)) + np.eye(3)[y][:, [0, 1, 2, 0, 1, 2, 0, 1]] * 2
    return X, y


GROUPS = [[0, 7], [3, 4]]
VALUES = np.array([0.5, 1.0, 2.0, 0.4, 0.6, 1.5, 1.0, 0.5])


def worst_error(model, X, y, budget, values=VALUES, fill="nan"):
    act = attack(X, y, model, budget, values, groups=GROUPS, means=X.mean(axis=0))
    return act, EnumerateDelete(fill=fill).corrupt(act)


def certified_error(model, act, corrupted):
    known = {"uncorrupted": act.X, "budget": act.budget, "feature_values": act.feature_values}
    return 1 - certified.model_certified_accuracy(judged(model, corrupted.X, act.y, **known))


@pytest.mark.parametrize(("budget", "fill"), [(0, "nan"), (1, "zero"), (2, "mean"), (3, "nan")])
def test_the_exact_error_of_a_partition_is_never_above_the_certified_one(table, budget, fill):
    X, y = table
    model = FeaturePartition(tree(), n_parts=5, groups=GROUPS, random_state=0).fit(X[:120], y[:120])
    act, corrupted = worst_error(model, X[120:], y[120:], budget, fill=fill)
    exact = (model.predict(corrupted.X) != y[120:]).mean()
    assert exact <= certified_error(model, act, corrupted) + 1e-12
    assert certified_error(model, act, corrupted) < 1 or budget > 1
    if budget == 0:
        assert exact == pytest.approx(certified_error(model, act, corrupted))


@pytest.mark.parametrize(("n_lost", "budget"), [(1, 1), (1, 3), (2, 2)])
def test_the_exact_error_of_gap_models_is_the_certified_one(table, n_lost, budget):
    X, y = table
    model = GapModel(tree(), n_lost=n_lost, groups=GROUPS, random_state=0).fit(X[:120], y[:120])
    act, corrupted = worst_error(model, X[120:], y[120:], budget)
    wrong = np.zeros(120, dtype=bool)
    blocks = [[0, 7], [1], [2], [3, 4], [5], [6]]
    for gone in product([False, True], repeat=6):
        columns = [column for block, out in zip(blocks, gone, strict=True) if out for column in block]
        if VALUES[columns].sum() <= budget + 1e-9:
            left = act.X.copy()
            left[:, columns] = np.nan
            wrong |= model.predict(left) != act.y
    assert wrong.mean() == pytest.approx(certified_error(model, act, corrupted))
    assert (model.predict(corrupted.X) != act.y).mean() <= wrong.mean()


def test_gap_models_say_nothing_of_values_in_place_of_gaps(table):
    X, y = table
    model = GapModel(tree(), groups=GROUPS).fit(X[:120], y[:120])
    act, corrupted = worst_error(model, X[120:], y[120:], 2, fill="mean")
    with pytest.raises(NotApplicableError, match="fill: nan"):
        certified_error(model, act, corrupted)
    with pytest.raises(NotApplicableError, match="DecisionTreeClassifier proves nothing"):
        certified_error(tree().fit(X, y), act, corrupted)


@given(st.integers(2, 5), st.integers(2, 4), st.integers(0, 10_000))
def test_the_cost_of_another_winner_is_that_of_the_cheapest_voters(n_voters, n_classes, seed):
    rng = np.random.default_rng(seed)
    said, price = rng.integers(n_classes, size=n_voters), rng.choice([0.5, 1.0, 1.5, 2.5], n_voters)
    votes = said[:, None, None] == np.arange(n_classes)
    won = np.bincount(said, minlength=n_classes).argmax()
    every = map(np.array, product(range(n_classes), repeat=n_voters))
    costs = [price[told != said].sum() for told in every if np.bincount(told).argmax() != won]
    assert certified.least_cost_of_another_winner(votes, price)[0] == pytest.approx(min(costs))


def test_parts_share_no_feature_and_leave_none_out(table):
    X, y = table
    model = FeaturePartition(tree(), n_parts=4, groups=GROUPS, random_state=3).fit(X, y)
    assert sorted(np.concatenate(model.parts_)) == list(range(8))
    of_column = {column: part for part, columns in enumerate(model.parts_) for column in columns}
    assert all(of_column[one] == of_column[other] for one, other in GROUPS)
    assert len(model.parts_) == 3
    own = {column: min(next((group for group in GROUPS if column in group), [column])) for column in range(8)}
    assert [len({own[column] for column in part}) for part in model.parts_] == [2, 2, 2]
    assert len(FeaturePartition(tree(), n_parts=50, groups=GROUPS).fit(X, y).parts_) == 5


def test_a_row_is_answered_by_the_model_that_lacks_what_it_lacks_and_classifiers_without_probabilities_vote(table):
    X, y = table
    model = GapModel(tree(), n_lost=1, groups=GROUPS).fit(X, y)
    assert len(model.models_) == 7
    some = X[:5].copy()
    some[:, 4] = np.nan  # one column of a group: the feature is gone
    without = tree().fit(np.delete(X, [3, 4], axis=1), y)
    np.testing.assert_array_equal(model.predict_proba(some), without.predict_proba(np.delete(X[:5], [3, 4], axis=1)))
    some[:, 2] = np.nan
    also = tree().fit(np.delete(X, 2, axis=1), y)
    filled = X[:5].copy()
    filled[:, 2], filled[:, 4] = X[:, 2].mean(), X[:, 4].mean()
    one = without.predict_proba(np.delete(filled, [3, 4], axis=1))
    other = also.predict_proba(np.delete(filled, 2, axis=1))
    np.testing.assert_allclose(model.predict_proba(some), (one + other) / 2)
    model = GapModel(LinearSVC(random_state=0), n_lost=1).fit(X, y)
    assert set(np.unique(model.predict_proba(X))) <= {0.0, 1.0}
    some = X.copy()
    some[:, :2] = np.nan
    assert set(np.unique(model.predict_proba(some))) <= {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (FeaturePartition("huber"), "'huber'"),
        (GapModel("huber"), "'huber'"),
        (FeaturePartition(n_parts=0), "n_parts"),
        (GapModel(n_lost=0), "n_lost"),
        (GapModel(n_lost=7), "1,000"),
    ],
)
def test_parameters_are_checked(estimator, name):
    X = np.random.default_rng(0).normal(size=(20, 40))
    with pytest.raises(ValueError, match=name):
        estimator.fit(X, X[:, 0] > 0)


def test_what_is_named_within_a_method_is_declared():
    """Else an edit of it, or another version of its package, would leave old results standing."""
    known = benchkit.registry().algorithms
    within = {name for name in known if known[name].declared_by == known["gap-model"].declared_by}
    assert {"adversarial-columns", "choice", "column-dropout", "feature-partition", "gap-model"} <= within
    assert {known[name].algorithm_param for name in within} == {"estimator"}
