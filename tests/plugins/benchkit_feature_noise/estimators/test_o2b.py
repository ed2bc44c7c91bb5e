"""The projected Perceptron by hand, in pieces, and in little memory."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchkit_feature_noise.estimators import o2b
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron


def test_averages_the_iterates_before_each_update():
    # Two features, N = 1, so P = 1 and V/P = 2. All rows are (1, 1) with label +1 but for one; order does not matter
    # for the first row, (1, 1, +1): every deletion loses, loss = 2 - 1 = 1 with nothing at stake: gains are -1, so
    # nothing is deleted and both weights move by tau.
    X = np.array([[1.0, 1.0]] * 4)
    y = np.array([1, 1, 1, -1])
    model = OnlineToBatchPerceptron(C=1.0, noise_budget=1.0, radius=1.0, random_state=0).fit(X, y)
    tau = np.sqrt(3 / (4 * 2))
    assert model.step_ == pytest.approx(tau)
    order = np.random.RandomState(0).permutation(4)
    w, b, total, bias = np.zeros(2), 0.0, np.zeros(2), 0.0
    for label in y[order].astype(float):
        total, bias = total + w, bias + b
        gains = label * w - 1.0
        deleted = np.zeros(2)
        if gains.max() > 0:
            deleted[np.argmax(gains)] = 1.0
        if 2 - label * b - (label * w).sum() + deleted @ gains > 0:
            w = np.clip(w + label * tau * (1 - deleted), -1, 1)
            b = float(np.clip(b + label * tau, -1, 1))
    np.testing.assert_allclose(model.coef_[0], total / 4)
    assert model.intercept_[0] == pytest.approx(bias / 4)


def test_a_stream_in_pieces_is_the_stream():
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


def test_without_a_horizon_the_step_falls_with_the_rows_seen():
    X, y = np.eye(4), np.array([1, -1, 1, -1])
    model = OnlineToBatchPerceptron(C=2.0, radius="unit-l1").partial_fit(X, y)
    assert model.step_ == pytest.approx(2 * np.sqrt(5 / (2 * 4)))
    assert model.partial_fit(X, y).step_ == pytest.approx(2 * np.sqrt(5 / (2 * 8)))


def test_a_stream_needs_both_classes_and_no_others():
    X = np.eye(2)
    with pytest.raises(ValueError, match="name them at the first call"):
        OnlineToBatchPerceptron().partial_fit(X, [1, 1])
    model = OnlineToBatchPerceptron().partial_fit(X, [1, 1], classes=[-1, 1])
    with pytest.raises(ValueError, match="other than"):
        model.partial_fit(X, [1, 3])


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
