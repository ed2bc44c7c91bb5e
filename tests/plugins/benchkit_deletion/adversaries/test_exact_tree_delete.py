"""The adversary against enumeration: every library, task and fill; groups, values, sparse rows, brackets."""

import itertools

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from benchkit import NotApplicableError
from benchkit_deletion.adversaries.exact_tree_delete import ExactTreeDelete
from benchkit_deletion.adversaries.linear import ExactDelete
from tests.attacks import attack


def worst_by_enumeration(model, X, y, left, values, budget, ask, classes):
    """The least margin of the true class, or minus the largest absolute error, over all affordable deletions."""
    sets = np.array(list(itertools.product([False, True], repeat=X.shape[1])))
    sets = sets[sets @ values <= budget]
    queries = np.where(sets[None], left, X[:, None, :]).reshape(-1, X.shape[1])
    said = ask(model, queries).reshape(len(X), len(sets), -1)
    if classes is None:
        return -np.abs(said[:, :, 0] - y[:, None]).max(axis=1)
    own = np.searchsorted(classes, y)
    if said.shape[2] == 1:
        return (np.where(own == 1, 1, -1)[:, None] * said[:, :, 0]).min(axis=1)
    of_own = np.take_along_axis(said, own[:, None, None], axis=2)[:, :, 0]
    np.put_along_axis(said, np.broadcast_to(own[:, None, None], (len(X), len(sets), 1)), -np.inf, axis=2)
    return (of_own - said.max(axis=2)).min(axis=1)


def test_does_what_enumeration_does(library, task, model_and_rows, fills, scores_of):
    model, X, y = model_and_rows
    X, y = X[:25], y[:25]
    values = np.array([1.0, 0.5, 1.5, 1.0, 0.0, 2.0])
    classes = None if task == "regression" else model.classes_
    for fill, left in fills.items():
        for budget, costs in ((2.0, np.ones(6)), (2.5, values)):
            act = attack(X, y, model, budget, costs, means=left)
            found = ExactTreeDelete(fill=fill).corrupt(act)
            worst = worst_by_enumeration(model, X, y, left, costs, budget, scores_of, classes)
            np.testing.assert_allclose(found.truth["worst_score"], worst, atol=2e-6)
            np.testing.assert_allclose(found.truth["worst_score_bound"], worst, atol=2e-6)
            assert found.truth["closed"].all()
            assert (found.truth["taken"] @ costs <= budget).all()
            np.testing.assert_array_equal(found.X, np.where(found.truth["taken"], left, X))
            if costs is not values:  # nothing is free: what the model says of the result, with nothing more to spend
                reached = worst_by_enumeration(model, found.X, y, left, costs, 0, scores_of, classes)
                np.testing.assert_allclose(reached, worst, atol=2e-6)


@pytest.fixture
def forest():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 4] > 0, "spam", "ham")
    return RandomForestClassifier(30, random_state=0).fit(X, y), X[:60], y[:60]


def test_does_what_the_knapsack_does_on_a_linear_model(forest):
    _, X, y = forest
    model = LogisticRegression().fit(X, y)
    values = np.array([1.0, 0.7, 1.3, 0.4, 2.0, 1.0, 1.1, 0.9, 0.0, 0.6])
    act = attack(X, y, model, 2.5, values)
    margins = [
        np.where(y == "spam", 1, -1) * model.decision_function(adversary.corrupt(act).X)
        for adversary in (ExactTreeDelete(), ExactDelete())
    ]
    np.testing.assert_allclose(*margins, atol=1e-9)


def test_a_group_is_one_feature_and_goes_whole(forest):
    model, X, y = forest
    groups = [[0, 5], [1, 2, 9]]
    act = attack(X, y, model, 3, values=np.full(10, 0.5), groups=groups)
    found = ExactTreeDelete().corrupt(act)
    features = act.features
    assert found.truth["taken"].shape == (60, features.n_features)
    gone = features.spread(found.truth["taken"])
    assert (gone[:, 0] == gone[:, 5]).all()
    assert (gone[:, 1] == gone[:, 2]).all()
    assert gone[:, [0, 1]].any()
    np.testing.assert_array_equal(found.X, np.where(gone, 0.0, X))
    sets = np.array(list(itertools.product([False, True], repeat=features.n_features)))
    sets = sets[sets @ features.sum(np.full(10, 0.5)) <= 3]
    for row in range(5):
        shares = model.predict_proba(np.where(features.spread(sets), 0.0, X[row]))
        margins = (shares[:, 1] - shares[:, 0]) * (1 if y[row] == "spam" else -1)
        assert found.truth["worst_score"][row] == pytest.approx(margins.min(), abs=1e-9)


def test_a_search_cut_short_tells_the_bracket_and_repeats_itself(forest):
    model, X, y = forest
    short, whole = (ExactTreeDelete(node_limit=limit).corrupt(attack(X, y, model, 4)).truth for limit in (1, 5_000))
    assert 0 < short["closed"].mean() < 1
    assert whole["closed"].all()
    assert (short["worst_score_bound"] <= whole["worst_score"] + 1e-9).all()
    assert (short["worst_score"] >= whole["worst_score"] - 1e-9).all()
    assert (short["worst_score_bound"] < short["worst_score"])[~short["closed"]].all()
    again = ExactTreeDelete(node_limit=1).corrupt(attack(X, y, model, 4)).truth
    np.testing.assert_array_equal(again["worst_score_bound"], short["worst_score_bound"])


def test_stopping_when_fooled_fools_the_same_rows(forest):
    model, X, y = forest
    whole = ExactTreeDelete().corrupt(attack(X, y, model, 2))
    stopped = ExactTreeDelete(stop_when_fooled=True).corrupt(attack(X, y, model, 2))
    np.testing.assert_array_equal(model.predict(whole.X) == y, model.predict(stopped.X) == y)
    assert stopped.truth["search_nodes"].sum() < whole.truth["search_nodes"].sum()


def test_rows_of_a_class_that_the_model_does_not_know_are_left_alone(forest):
    model, X, y = forest
    y = np.where(np.arange(60) == 3, "other", y)
    found = ExactTreeDelete().corrupt(attack(X, y, model, 2))
    np.testing.assert_array_equal(found.X[3], X[3])
    assert found.truth["worst_score_bound"][3] == -np.inf
    assert found.truth["closed"][3]


def test_a_model_that_takes_no_gaps_is_refused(forest):
    _, X, y = forest
    act = attack(X, y, LogisticRegression().fit(X, y), 2, takes_missing=False)
    with pytest.raises(NotApplicableError, match="fill: nan"):
        ExactTreeDelete(fill="nan").corrupt(act)
