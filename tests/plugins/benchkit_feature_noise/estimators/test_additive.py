"""Sums of step functions that are prepared for deletion: against the linear programs, and against enumeration."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_circles

from benchkit_deletion.adversaries.exact_tree_delete import ExactTreeDelete
from benchkit_feature_noise.estimators.additive import RobustAdditiveClassifier
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from tests.attacks import attack


def problem(seed, n_rows=60, n_columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).round(1)
    y = np.where(np.abs(X[:, 0]) + X[:, 1] + rng.normal(scale=0.3, size=n_rows) > 0.7, "yes", "no")
    return X, y


@pytest.mark.parametrize("groups", [(), [[0, 1, 2]]])
@pytest.mark.parametrize("method", ["lp", "fdrop"])
def test_bits_are_the_linear_programs(method, groups):
    """A column of bits has one step, which is its weight where deletion leaves 0; a one-hot block is one feature."""
    rng = np.random.default_rng(0)
    category = rng.integers(4, size=120)
    X = np.column_stack([np.eye(4)[category][:, :3], rng.random((120, 3)) < 0.4]).astype(float)
    y = (2 * X[:, 0] - X[:, 1] + X[:, 3] + rng.normal(scale=0.4, size=120) > 0.5).astype(int)
    values = np.array([0.5, 0.25, 0.25, 1.0, 2.0, 1.0])
    given = {"C": 0.4, "feature_values": values, "groups": groups}
    linear = (
        RobustLinearProgram(noise_budget=1.0, **given) if method == "lp" else FeatureDroppingSVM(n_deleted=1.0, **given)
    ).fit(X, y)
    steps = RobustAdditiveClassifier(method, budget=1.0, n_bins=4, tol=1e-6, **given).fit(X, y)
    np.testing.assert_allclose(steps.decision_function(X), linear.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
@given(st.integers(0, 3), st.sets(st.integers(0, 3)))
def test_a_deleted_column_adds_nothing(fill, seed, gone):
    X, y = problem(seed)
    model = RobustAdditiveClassifier(C=1.0, budget=1.0, n_bins=5, fill=fill).fit(X, y)
    left = {"zero": np.zeros(4), "mean": X.mean(axis=0), "nan": np.full(4, np.nan)}[fill]
    without = X.copy()
    for column in gone:
        without[:, column] = left[column]
    kept = [column for column in range(4) if column not in gone]
    expected = model.eval_terms(X)[:, kept].sum(axis=1) + model.intercept_
    np.testing.assert_allclose(model.decision_function(without), expected, atol=1e-12)


@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
def test_its_worst_deletion_is_found_exactly(fill):
    X, y = problem(1)
    model = RobustAdditiveClassifier(C=1.0, budget=2.0, n_bins=5, fill=fill).fit(X, y)
    truth = ExactTreeDelete(fill=fill).corrupt(attack(X, y, model, 2, means=X.mean(axis=0))).truth
    terms = model.eval_terms(X)
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    least = np.min(
        [
            signs * (model.intercept_ + np.delete(terms, gone, axis=1).sum(axis=1))
            for size in range(3)
            for gone in combinations(range(4), size)
        ],
        axis=0,
    )
    np.testing.assert_allclose(truth["worst_score"], least, atol=1e-9)
    assert truth["closed"].all()


def test_it_bends_where_lines_do_not():
    X, y = make_circles(300, noise=0.05, factor=0.3, random_state=0)
    assert RobustLinearProgram(C=1.0).fit(X, y).score(X, y) < 0.7
    assert RobustAdditiveClassifier(C=1.0).fit(X, y).score(X, y) > 0.95
