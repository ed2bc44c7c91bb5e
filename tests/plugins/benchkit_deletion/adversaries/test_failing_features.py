"""Features that fail one after another and stay dead."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchkit import AttackContext
from benchkit_deletion.adversaries.linear import FailingFeatures, worst_order


def attack(X, coef, budget, y=None, seed=0):
    model = SimpleNamespace(
        coef_=np.array([coef], dtype=float), intercept_=np.array([0.25]), classes_=np.array([-1, 1])
    )
    y = np.where(np.arange(X.shape[0]) % 2, 1, -1) if y is None else y
    rng = np.random.default_rng(seed)
    return AttackContext(X=X, y=y, budget=budget, feature_values=np.ones(X.shape[1]), rng=rng, model=model)


@pytest.fixture
def rows():
    return np.random.default_rng(3).standard_normal((30, 5))


@pytest.mark.parametrize("order", ["worst", "random"])
def test_what_is_dead_stays_dead_for_all_rows(rows, order):
    before: list[int] = []
    for budget in range(6):
        found = FailingFeatures(order).corrupt(attack(rows, [1, -2, 3, 0.5, 1], budget))
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
