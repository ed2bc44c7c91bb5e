"""What is proved, as numbers."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from benchkit import NotApplicableError
from benchkit_deletion import metrics as worst_case
from benchkit_deletion.adversaries.exact_tree_delete import ExactTreeDelete
from tests.attacks import attack, judged


def evaluated(model, X, y, **params):
    found = ExactTreeDelete(**params).corrupt(attack(X, y, model, 2.0, seed=0))
    return judged(model, found.X, y, truth=found.truth)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6))
    return X, X[:, 0] + 0.5 * X[:, 1] - X[:, 2]


def test_the_bound_of_closed_rows_of_open_ones_and_of_regression(rows):
    X, signal = rows
    y = (signal > 0).astype(int)
    evaluation = evaluated(RandomForestClassifier(15, max_depth=5, random_state=0).fit(X, y), X, y)
    error = (evaluation.predictions != y).mean()
    assert 0.1 < error < 0.99
    assert worst_case.worst_case_bound(evaluation) == pytest.approx(error)
    assert worst_case.certified_accuracy(evaluation) == pytest.approx(1 - error)
    assert worst_case.open_rows(evaluation) == 0
    assert 0 < worst_case.median_row_seconds(evaluation) <= worst_case.slowest_row_seconds(evaluation)
    assert 0 <= worst_case.rows_within_a_second(evaluation) <= 1
    evaluation = evaluated(RandomForestClassifier(25, random_state=0).fit(X, y), X, y, node_limit=1)
    assert worst_case.open_rows(evaluation) > 0
    assert worst_case.worst_case_bound(evaluation) >= (evaluation.predictions != y).mean()
    X, y = rows
    evaluation = evaluated(RandomForestRegressor(10, random_state=0).fit(X, y), X, y)
    assert worst_case.worst_case_bound(evaluation) == pytest.approx(np.abs(evaluation.predictions - y).mean())


@pytest.mark.parametrize("name", ["worst_case_bound", "certified_accuracy", "open_rows", "slowest_row_seconds"])
def test_other_adversaries_prove_nothing(name):
    with pytest.raises(NotApplicableError, match="exact-tree-delete"):
        getattr(worst_case, name)(judged(None, np.zeros((2, 2)), np.zeros(2), np.zeros(2)))
