"""Adversaries that ask any model: the worst columns for all rows, and the worst deletion of each row in regression."""

from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC

from benchkit import AttackContext
from benchkit_deletion.adversaries.asking import FailingColumnsQuery, QueryDeleteRegression
from benchkit_deletion.adversaries.exact_tree_delete import ExactTreeDelete

GROUPS = ([1, 2],)
FEATURES = ([0], [1, 2], [3], [4], [5])


def attack_on(model, budget, classes=2, groups=(), **changes):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 6))
    signal = X[:, 0] + X[:, 1] * X[:, 2] - 0.7 * X[:, 3]
    y = signal + 3 if classes == 0 else np.digitize(signal, [0.0] if classes == 2 else [-0.7, 0.7]) + 4
    known = {
        "X": X,
        "y": y,
        "budget": budget,
        "feature_values": np.ones(6),
        "rng": rng,
        "model": model.fit(X, y),
        "raw": X,
        "feature_names": tuple("abcdef"),
        "groups": groups,
        "group_names": ("bc",) if groups else (),
        "means": X.mean(axis=0),
    }
    return AttackContext(**{**known, **changes})


def without(attack, features, chosen, left):
    X = attack.X.copy()
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
    attack = attack_on(model, 2, classes, GROUPS)
    result = FailingColumnsQuery(fill="mean").corrupt(attack)
    errors = [
        (model.predict(without(attack, FEATURES, chosen, attack.means)) != attack.y).mean() for chosen in sets(5, 2)
    ]
    assert (model.predict(result.X) != attack.y).mean() == max(errors)
    assert result.truth["is_worst"]
    dead = result.truth["dead_features"]
    np.testing.assert_array_equal(result.X, without(attack, FEATURES, dead, attack.means))
    assert result.truth["dead_names"] == [("a", "bc", "d", "e", "f")[feature] for feature in dead]


@pytest.mark.parametrize(("loss", "power"), [("absolute", 1), ("squared", 2)])
def test_no_set_of_columns_does_more_in_regression(loss, power):
    model = GradientBoostingRegressor(n_estimators=20, random_state=0)
    attack = attack_on(model, 3, 0)
    result = FailingColumnsQuery(loss=loss).corrupt(attack)
    plain = [[column] for column in range(6)]
    errors = [
        (np.abs(model.predict(without(attack, plain, chosen, np.zeros(6))) - attack.y) ** power).mean()
        for chosen in sets(6, 3)
    ]
    assert (np.abs(model.predict(result.X) - attack.y) ** power).mean() == pytest.approx(max(errors), rel=1e-12)


def test_rows_losing_columns_of_their_own_lose_more():
    attack = attack_on(RandomForestClassifier(10, random_state=0), 2)
    same = FailingColumnsQuery(exact_below=0).corrupt(attack)
    worst = ExactTreeDelete().corrupt(attack)
    error = lambda result: (attack.model.predict(result.X) != attack.y).mean()  # noqa: E731
    assert error(same) <= error(worst)
    assert not same.truth["is_worst"]
    assert same.truth["queries"] > 0


@pytest.mark.parametrize("groups", [(), GROUPS])
@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
def test_the_worst_deletion_of_each_row_in_regression(fill, groups):
    model = RandomForestRegressor(8, max_depth=4, random_state=0)
    attack = attack_on(model, 2, 0, groups)
    features = FEATURES if groups else [[column] for column in range(6)]
    attack = replace(attack, feature_values=np.array([1, 0.5, 0.5, 1, 1, 1]) if groups else np.ones(6))
    left = attack.left_by(fill)
    result = QueryDeleteRegression(fill=fill, beam=64).corrupt(attack)
    every = [
        np.abs(model.predict(without(attack, features, chosen, left)) - attack.y) for chosen in sets(len(features), 2)
    ]
    np.testing.assert_allclose(np.abs(model.predict(result.X) - attack.y), np.max(every, axis=0))
    exact = ExactTreeDelete(fill=fill).corrupt(attack)
    np.testing.assert_allclose(-exact.truth["worst_score"], np.max(every, axis=0), rtol=1e-6)


def test_a_narrow_beam_does_no_more_than_is_possible():
    attack = attack_on(Ridge(), 3, 0)
    narrow, wide = (
        np.abs(attack.model.predict(QueryDeleteRegression(beam=beam).corrupt(attack).X) - attack.y) for beam in (1, 64)
    )
    assert (narrow <= wide + 1e-12).all()
