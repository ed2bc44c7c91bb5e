"""The projected Perceptron by hand and in pieces; sums of step functions by enumeration; rankings of features."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.datasets import make_circles
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from benchkit_deletion.adversaries.exact_tree_delete import ExactTreeDelete
from benchkit_feature_noise.estimators import feature_ranking, o2b
from benchkit_feature_noise.estimators.additive import RobustAdditiveClassifier
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from tests.attacks import attack


def test_averages_the_iterates_before_each_update():
    # Two features, N = 1, so P = 1 and V/P = 2: the gain of a deletion is label * weight - 1.
    X, y = np.ones((4, 2)), np.array([1, 1, 1, -1])
    model = OnlineToBatchPerceptron(C=1.0, noise_budget=1.0, radius=1.0, random_state=0).fit(X, y)
    tau = np.sqrt(3 / (4 * 2))
    assert model.step_ == pytest.approx(tau)
    w, b, iterates = np.zeros(2), 0.0, []
    for label in y[np.random.RandomState(0).permutation(4)]:
        iterates.append([*w, b])
        gains = label * w - 1.0
        deleted = (np.arange(2) == gains.argmax()) & (gains > 0)
        if 2 - label * (b + w.sum()) + deleted @ gains > 0:
            w = np.clip(w + label * tau * (1 - deleted), -1, 1)
            b = np.clip(b + label * tau, -1, 1)
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], np.mean(iterates, axis=0))


def test_a_stream_in_pieces_is_the_stream_and_without_a_horizon_the_step_falls():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.choice(["a", "b"], 60)
    settings = {"C": 0.3, "noise_budget": 1.5, "feature_values": [1, 2, 0, 0.5], "radius": 3.0, "horizon": 60}
    whole = OnlineToBatchPerceptron(**settings).partial_fit(X, y)
    pieces = OnlineToBatchPerceptron(**settings)
    for start in range(0, 60, 7):
        pieces.partial_fit(csr_matrix(X[start : start + 7]), y[start : start + 7], classes=["a", "b"])
    np.testing.assert_allclose(pieces.coef_, whole.coef_)
    assert pieces.cumulative_loss_ == pytest.approx(whole.cumulative_loss_)
    assert pieces.n_seen_ == 60
    X, y = np.eye(4), np.array([1, -1, 1, -1])
    model = OnlineToBatchPerceptron(C=2.0, radius="unit-l1").partial_fit(X, y)
    assert model.step_ == pytest.approx(2 * np.sqrt(5 / (2 * 4)))
    assert model.partial_fit(X, y).step_ == pytest.approx(2 * np.sqrt(5 / (2 * 8)))


@pytest.mark.parametrize("layout", ["C", "F"])
def test_dense_rows_are_seen_as_sparse_ones_are_to_the_bit(monkeypatch, layout):
    monkeypatch.setattr(o2b, "_BLOCK", 7)  # several blocks, the last one short
    rng = np.random.default_rng(0)
    # Few different numbers: zeros, and gains that tie.
    X = np.asarray(rng.choice([0.0, 0.0, 0.5, 1.0, -1.0], (60, 9)), order=layout)
    y = rng.choice([-1, 1], 60)
    settings = {"C": 0.3, "noise_budget": 1.5, "groups": [[1, 2], [5, 8]], "random_state": 3}
    dense = OnlineToBatchPerceptron(**settings).fit(X, y)
    thin = OnlineToBatchPerceptron(**settings).fit(csr_matrix(X), y)
    np.testing.assert_array_equal(dense.coef_, thin.coef_)
    assert np.abs(dense.coef_).max() > 0
    assert (dense.intercept_, dense.cumulative_loss_) == (thin.intercept_, thin.cumulative_loss_)


def test_dense_rows_take_a_fraction_of_their_own_memory():
    X = np.random.default_rng(0).normal(size=(40_000, 20))
    y = np.where(X[:, 0] > 0, 1, -1)
    OnlineToBatchPerceptron(noise_budget=2.0, random_state=0).fit(X[:100], y[:100])  # compiles
    tracemalloc.start()
    OnlineToBatchPerceptron(noise_budget=2.0, random_state=0).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A sparse copy took three times the data; what is left is eight bytes a row a few times, and one block of rows.
    assert peak < 0.6 * X.nbytes


def problem(seed, n_rows=60, n_columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).round(1)
    return X, np.where(np.abs(X[:, 0]) + X[:, 1] + rng.normal(scale=0.3, size=n_rows) > 0.7, "yes", "no")


@pytest.mark.parametrize("groups", [(), [[0, 1, 2]]])
@pytest.mark.parametrize("method", ["lp", "fdrop"])
def test_bits_are_the_linear_programs(method, groups):
    """A column of bits has one step, which is its weight where deletion leaves 0; a one-hot block is one feature."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.eye(4)[rng.integers(4, size=120)][:, :3], rng.random((120, 3)) < 0.4]).astype(float)
    y = (2 * X[:, 0] - X[:, 1] + X[:, 3] + rng.normal(scale=0.4, size=120) > 0.5).astype(int)
    given = {"C": 0.4, "feature_values": np.array([0.5, 0.25, 0.25, 1.0, 2.0, 1.0]), "groups": groups}
    make = RobustLinearProgram if method == "lp" else FeatureDroppingSVM
    linear = make(**{"noise_budget" if method == "lp" else "n_deleted": 1.0}, **given).fit(X, y)
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
    sets = [gone for size in range(3) for gone in combinations(range(4), size)]
    left = [signs * (model.intercept_ + np.delete(terms, gone, axis=1).sum(axis=1)) for gone in sets]
    np.testing.assert_allclose(truth["worst_score"], np.min(left, axis=0), atol=1e-9)
    assert truth["closed"].all()


def test_it_bends_where_lines_do_not():
    X, y = make_circles(300, noise=0.05, factor=0.3, random_state=0)
    assert RobustLinearProgram(C=1.0).fit(X, y).score(X, y) < 0.7
    assert RobustAdditiveClassifier(C=1.0).fit(X, y).score(X, y) > 0.95


@pytest.fixture
def data():
    """Three features that agree with the label in 95, 75 and 50 % of the rows, and a constant one."""
    rng = np.random.default_rng(0)
    y, agree = rng.choice([-1, 1], 400), rng.random((400, 3)) < [0.95, 0.75, 0.5]
    return np.column_stack([np.where(agree, y[:, None], -y[:, None]), np.ones(400)]), y


def test_frequency_counts_the_top_contributions(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    expected = np.zeros(4)
    for row in y[:, None] * X * model.coef_:
        expected[[j for j in np.argsort(-row)[:2] if row[j] > 0]] += 1 / len(X)
    np.testing.assert_allclose(feature_ranking.deletion_frequency(model, X, y, 2), expected)
    twice = feature_ranking.deletion_frequency(model, X, y, 4, feature_values=np.full(4, 2.0))
    np.testing.assert_allclose(twice, expected)


def test_gain_is_the_mutual_information_and_equals_keep_their_order(data):
    X, y = data
    joint = np.array([[((X[:, 0] > 0) == a).astype(float) @ (y == b) for b in (-1, 1)] for a in (False, True)]) / 400
    gain = feature_ranking.information_gain(X, y)
    assert gain[0] == pytest.approx((joint * np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0)))).sum())
    assert gain[3] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(feature_ranking.information_gain(csr_matrix(X), y), gain, atol=1e-12)
    with pytest.raises(ValueError, match="threshold"):
        feature_ranking.information_gain(csr_matrix(X), y, threshold=-1)
    assert feature_ranking.ranking(np.array([0.1, 0.5, 0.5, 0.0])).tolist() == [1, 2, 0, 3]


@pytest.fixture
def words():
    """Signs of 8 features, of which the third and the sixth tell the class."""
    rng = np.random.default_rng(5)
    X = rng.integers(2, size=(120, 8)).astype(float)
    return X, np.where(X[:, 2] + X[:, 5] + 0.5 * rng.standard_normal(120) > 1, 1, -1)


@pytest.mark.parametrize("by", ["deletion", "information-gain"])
def test_rankings_find_the_telling_features(words, by):
    X, y = words
    model = feature_ranking.FeatureSelectingSVM(by=by, n_selected=2, n_deleted=1).fit(X, y)
    assert sorted(model.selected_) == [2, 5]
    same = SVC(kernel="linear").fit(X[:, model.selected_], y)
    assert np.array_equal(model.predict(X), same.predict(X[:, model.selected_]))
    assert np.array_equal(model.coef_[0, model.selected_], same.coef_[0])
    assert not np.delete(model.coef_[0], model.selected_).any()


def test_a_random_order_is_one_of_all_orders(words):
    models = (feature_ranking.FeatureSelectingSVM(by="random", n_selected=8, random_state=seed) for seed in (0, 1))
    orders = {tuple(model.fit(*words).selected_) for model in models}
    assert len(orders) == 2
    assert {frozenset(order) for order in orders} == {frozenset(range(8))}
