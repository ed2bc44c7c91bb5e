"""RoOFS: exact recovery, streams, invariances; the number of clean rows by hand and by brute force."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from benchkit_robust_regression.estimators.roofs import RoOFS
from benchkit_robust_regression.estimators.torrent import Torrent
from benchkit_robust_regression.solvers.selection import acceptance_limits, estimate_clean_count

EXACT = {"tol": 1e-12, "max_iter": 5000, "step": 1.0}


def test_recovers_the_true_features_whether_they_come_first_or_not(draw):
    X, y, coef, clean = draw(corrupted=0.2, n=400)
    model = RoOFS(n_selected=4, batch_size=10, **EXACT).fit(X, y)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-8)
    assert model.support_.tolist() == (coef != 0).tolist()
    assert clean[model.inlier_mask_].all()
    assert model.n_clean_ == model.inlier_mask_.sum() < 400
    X, y, coef, _ = draw(first=False, n=400, p=20, k=4)
    true = np.flatnonzero(coef)
    assert true.min() > 0
    for drop in ("at-once", "after-batch"):
        model = RoOFS(n_selected=4, batch_size=20, drop=drop, **EXACT).fit(X, y)
        np.testing.assert_array_equal(np.flatnonzero(model.support_), true)


@pytest.mark.parametrize("offset", [3.0, 1e6])
def test_an_intercept_takes_any_offset_of_targets_and_features(draw, offset):
    X, y, _, _ = draw(n=400, corrupted=0.1, noise=0.1)
    model = RoOFS(n_selected=4, batch_size=100, fit_intercept=True)
    expected = model.fit(X, y).predict(X)
    np.testing.assert_allclose(model.fit(X, y + offset).predict(X) - offset, expected, atol=1e-6)
    X = X + offset * np.linspace(0, 1, X.shape[1])
    stream = RoOFS(n_selected=4, fit_intercept=True).partial_fit_features(X, y + offset)
    np.testing.assert_allclose(stream.predict(X) - offset, expected, atol=1e-6)
    np.testing.assert_allclose(model.fit(csr_matrix(X), y).predict(X), expected, atol=1e-6)


def test_a_stream_is_its_own(draw):
    X, y, _, _ = draw(p=20, noise=0.1)
    given, frame = y.copy(), pd.DataFrame(X, columns=[f"x{j}" for j in range(20)])
    model = RoOFS(n_selected=6, clean_size="auto").set_params(clean_size="adaptive").fit(frame, y)
    model.set_params(clean_size="auto")
    with pytest.raises(ValueError, match="clean_size is 'auto'"):
        model.partial_fit_features(X[:, :10], given)
    model.set_params(clean_size="adaptive").partial_fit_features(X[:, :10], given)
    given[:] = 0.0
    model.partial_fit_features(X[:, 10:])
    np.testing.assert_array_equal(model.coef_, RoOFS(n_selected=6, batch_size=10).fit(X, y).coef_)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize(("p", "size"), [(7, 1), (200, 10), (2500, 100)])
def test_the_size_of_a_batch_follows_the_number_of_features(p, size):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, p)), rng.standard_normal(20)
    expected, model = RoOFS(n_selected=3, batch_size=size).fit(X, y), RoOFS(n_selected=3).fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.n_iter_ == expected.n_iter_


@pytest.mark.parametrize("drop", ["at-once", "after-batch"])
def test_batches_of_fit_are_those_of_a_stream(draw, drop):
    X, y, _, _ = draw(p=33, corrupted=0.1, noise=0.1, first=False)
    stream = RoOFS(n_selected=6, drop=drop)
    for start in range(0, 33, 10):
        stream.partial_fit_features(csr_matrix(X[:, start : start + 10]), y if start == 0 else None)
    np.testing.assert_allclose(stream.coef_, RoOFS(n_selected=6, batch_size=10, drop=drop).fit(X, y).coef_, atol=1e-12)
    assert stream.n_features_in_ == 33


def test_a_step_is_algorithm_1_whatever_the_order_of_rows(draw):
    X, y, _, _ = draw(corrupted=0.2, noise=0.1)
    order = np.random.default_rng(0).permutation(len(y))
    first, second = (RoOFS(n_selected=5, batch_size=7).fit(*data) for data in ((X, y), (X[order], y[order])))
    np.testing.assert_allclose(second.coef_, first.coef_, atol=1e-10)
    np.testing.assert_array_equal(second.inlier_mask_, first.inlier_mask_[order])
    X, y, _, _ = draw(p=9, corrupted=0.1, noise=0.1)
    model = RoOFS(n_selected=4, batch_size=9, max_iter=1, clean_size=0.9).fit(X, y)
    clean = np.abs(y) <= np.sort(np.abs(y))[179]
    w = 0.1 * X[clean].T @ y[clean] / 200
    w[np.argsort(np.abs(w))[:5]] = 0
    np.testing.assert_allclose(model.coef_, w)
    r = np.abs(y - X @ w)
    np.testing.assert_array_equal(model.inlier_mask_, r <= np.sort(r)[179])


def test_features_of_any_scale_converge(draw):
    X, y, coef, _ = draw(p=8)
    model = RoOFS(n_selected=8, tol=1e-10, max_iter=5000).fit(1000 * X, y)
    np.testing.assert_allclose(model.coef_, coef / 1000, atol=1e-6)


def test_a_stream_holds_the_retained_columns_and_a_batch():
    rng = np.random.default_rng(0)
    n, k, batch = 2000, 100, 50
    model = RoOFS(n_selected=k, max_iter=3)
    model.partial_fit_features(rng.standard_normal((n, batch)), rng.standard_normal(n))
    tracemalloc.start()
    for _ in range(10):
        model.partial_fit_features(rng.standard_normal((n, batch)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 2 * 8 * n * (k + batch)


def test_a_fitted_model_does_not_hold_the_data(draw):
    X, y, _, _ = draw(n=2000, p=60)
    model = RoOFS(n_selected=20).fit(X, y)
    assert len(pickle.dumps(model)) < X[:, :2].nbytes
    with pytest.raises(ValueError, match="y is missing"):
        model.partial_fit_features(X)
    whole = RoOFS(n_selected=20, batch_size=60).fit(X, y)
    np.testing.assert_array_equal(model.partial_fit_features(X, y).coef_, whole.coef_)


def test_unusual_data_has_a_defined_result(draw):
    X, y, coef, _ = draw(p=5)
    assert RoOFS(n_selected=50, batch_size=500).fit(X, y).support_.all()  # k > p, batch > p
    stream = RoOFS(n_selected=10**15).partial_fit_features(X[:, :2], y)
    assert stream.partial_fit_features(X[:, 2:], y).support_.tolist() == [True] * 5
    assert RoOFS(n_selected=2).fit(X[:1], y[:1]).n_clean_ == 1  # n = 1
    model = RoOFS(n_selected=7, **EXACT).fit(np.column_stack([np.zeros(len(y)), X, np.ones(len(y))]), y)
    np.testing.assert_allclose(model.coef_[1:-1], coef, atol=1e-8)
    assert model.coef_[0] == 0
    assert RoOFS().fit(X, np.zeros(len(y))).coef_.tolist() == [0.0] * 5


WRONG = [
    (RoOFS, {"n_selected": [0, 1.5], "batch_size": [0], "step": [0], "tol": [-1], "max_iter": [0], "drop": ["never"]}),
    (RoOFS, {"clean_size": ["auto", -0.1]}),
    (Torrent, {"corruption": [1.5], "deviation": [-1], "clean_size": [2.5], "max_iter": [0], "batch_size": [0.5]}),
    (Torrent, {"n_selected": [0]}),
]


@pytest.mark.parametrize(("make", "wrong"), WRONG)
def test_bad_parameters_are_named(draw, make, wrong):
    X, y, _, _ = draw(n=20, p=3, k=1)
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(ValueError, match=name):
                make(**{"corruption": 0.1} if name == "deviation" else {}, **{name: value}).fit(X, y)


def test_bad_streams_are_named(draw):
    X, y, _, _ = draw(n=20, p=3, k=1)
    with pytest.raises(ValueError, match="only a count can be kept"):
        RoOFS(n_selected=0.5).partial_fit_features(X, y)
    with pytest.raises(ValueError, match="X_batch has 19 rows"):
        RoOFS().partial_fit_features(X, y).partial_fit_features(X[1:])
    for batch, targets in ((np.full_like(X, np.nan), y), (X, y[1:])):
        with pytest.raises(ValueError, match=r"NaN|samples"):
            RoOFS().partial_fit_features(batch, targets)


def brute_force(residuals, variant):
    """Eq. 5 with loops, from the text."""
    r = sorted(abs(value) for value in residuals)
    n = len(r)
    for tau in range(n, n // 2, -1):
        lead = tau - n // 2 if variant == "roofs" else -(-tau // 2)
        rho = np.sqrt(sum(value**2 for value in r[:lead]) / lead)
        distances = [abs(value - rho) for value in r]
        nearest = max(i for i in range(n) if distances[i] == min(distances)) + 1
        if r[tau - 1] <= 2 * tau * rho / nearest:
            return tau
    return n // 2 + 1


def test_the_count_by_hand_where_no_candidate_fits_and_where_residuals_are_equal():
    residuals = np.array([-1.0, 2.0, 3.0, -4.0, 5.0, 50.0])
    assert estimate_clean_count(residuals) == 5
    limits = acceptance_limits(np.sort(np.abs(residuals)), np.array([5, 6]))
    assert limits == pytest.approx([10 * np.sqrt(2.5) / 2, 12 * np.sqrt(14 / 3) / 2])
    # RLHH judges tau = 6 by 3 rows too, and tau = 5 by 3: limit 2 * 5 * 2.16 / 2 = 10.8.
    assert estimate_clean_count(residuals, "rlhh") == 5
    # rho = 0.5 lies as near to 0 as to 1; of equals the last counts, whatever the largest residual is.
    assert {estimate_clean_count(np.array([0, 0, 0, 1, 1, 1, 1, most]), "rlhh") for most in (8.0, 9.0)} == {7}
    # tau = 3 of n = 4 is judged by the smallest alone: limit 6 * 1 / 1 = 6 < 7.
    assert estimate_clean_count(np.array([1.0, 7.0, 100.0, 1000.0])) == 3
    assert estimate_clean_count(np.append(np.ones(99), 50.0)) == 99


@pytest.mark.parametrize("variant", ["roofs", "rlhh"])
def test_small_and_degenerate_cases_have_an_answer(variant):
    assert estimate_clean_count(np.array([3.0]), variant) == 1
    assert estimate_clean_count(np.zeros(7), variant) == 7
    assert estimate_clean_count(np.array([1e-200, 1e-200, 1e-200, 1e200]), variant) == 3
    assert estimate_clean_count(np.full(9, 2.0), variant) == 9


@pytest.mark.parametrize("variant", ["roofs", "rlhh"])
@settings(max_examples=80)
@given(st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 3)), min_size=1, max_size=40).map(np.array))
def test_is_eq_5(variant, residuals):
    # Within rounding: the count accepted by loops may differ only where a limit is met to 1e-9.
    found, expected = estimate_clean_count(residuals, variant), brute_force(residuals, variant)
    if found != expected:
        tau = max(found, expected)
        r = np.sort(np.abs(residuals))
        assert r[tau - 1] == pytest.approx(acceptance_limits(r, np.array([tau]), variant)[0], rel=1e-9)
