"""Grafting, online substitution and iterative hard thresholding against independent solutions."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from benchkit_robust_regression.grafting import Grafting
from benchkit_robust_regression.iht_trimmed import TrimmedIterativeHardThresholding
from benchkit_robust_regression.online_substitution import OnlineSubstitution


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_grafting_is_the_lasso_of_the_features_it_holds(draw, fit_intercept):
    X, y, _, _ = draw(n=150, p=40, k=5, noise=0.3, first=False)
    model = Grafting(alpha=0.05, tol=1e-10, fit_intercept=fit_intercept).fit(X, y + 1)
    held = model.support_
    assert 5 <= held.sum() < 40
    lasso = Lasso(alpha=0.05, tol=1e-10, fit_intercept=fit_intercept).fit(X[:, held], y + 1)
    np.testing.assert_allclose(model.coef_[held], lasso.coef_, atol=1e-6)
    assert model.intercept_ == pytest.approx(lasso.intercept_, abs=1e-6)


def test_grafting_takes_features_only_by_their_gradient(draw):
    X, y, _, _ = draw(n=100, p=10, k=2)
    top = np.abs(X.T @ y).max() / 100
    assert not Grafting(alpha=1.01 * top).fit(X, y).support_.any()
    assert Grafting(alpha=0.99 * top, tol=1e-8).fit(X, y).support_.sum() >= 1
    assert Grafting(alpha=0.01, n_selected=1).fit(X, y).support_.sum() == 1


def substitution_by_definition(X, y, k):
    held = []
    for feature in range(X.shape[1]):
        held.append(feature)
        w = np.linalg.lstsq(X[:, held], y, rcond=None)[0]
        if len(held) > k:
            held.pop(int(np.argmin(np.abs(w))))
    return np.sort(held)


@pytest.mark.parametrize(("p", "k"), [(30, 4), (700, 6)])  # the second computes its inverse anew on the way
def test_online_substitution_is_its_definition(draw, p, k):
    X, y, _, _ = draw(n=60, p=p, k=k, noise=0.5, first=False)
    model = OnlineSubstitution(n_selected=k).fit(X, y)
    held = substitution_by_definition(X, y, k)
    np.testing.assert_array_equal(np.flatnonzero(model.support_), held)
    np.testing.assert_allclose(model.coef_[held], np.linalg.lstsq(X[:, held], y, rcond=None)[0], atol=1e-9)


def test_online_substitution_with_an_intercept(draw):
    X, y, coef, _ = draw(n=60, p=12, k=3)
    model = OnlineSubstitution(n_selected=3, fit_intercept=True).fit(X + 5, y + 2)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-8)
    np.testing.assert_allclose(model.predict(X + 5), y + 2, atol=1e-8)


@pytest.mark.parametrize("value", [0.1, 0.3, 1.1, 1e6])
def test_online_substitution_leaves_constant_columns(draw, value):
    X, y, *_ = draw(n=100, p=3, k=2, noise=0.01)
    for place in (0, 3):
        given = np.insert(X, place, value, axis=1)
        found = OnlineSubstitution(n_selected=2, fit_intercept=True).fit(given, y + 5.0)
        assert not found.support_[place]
        # A column far from 0 is none.
        far = OnlineSubstitution(n_selected=2, fit_intercept=True).fit(X + 1e6, y + 5.0)
        np.testing.assert_array_equal(np.delete(found.support_, place), far.support_)


@pytest.mark.parametrize("seed", range(10))
def test_online_substitution_is_exact_on_correlated_columns(seed):
    rng = np.random.default_rng(seed)
    n, p, rho = 30, 600, 0.999
    X = np.sqrt(1 - rho**2) * rng.normal(size=(n, p)) + rho * rng.normal(size=(n, 1))
    y = rng.normal(size=n)
    model = OnlineSubstitution(n_selected=29).fit(X, y)
    least = np.linalg.lstsq(X[:, model.support_], y)[0]
    np.testing.assert_allclose(model.predict(X), X[:, model.support_] @ least, atol=1e-6)


def test_online_substitution_holds_no_more_than_there_are_rows(draw):
    X, y, _, _ = draw(n=8, p=30)
    model = OnlineSubstitution(n_selected=20).fit(X, y)
    assert model.support_.sum() == 8
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)
    copies = np.column_stack([X[:, :2], X[:, :2], np.zeros(8)])
    assert OnlineSubstitution(n_selected=5).fit(copies, y).support_.tolist() == [True, True, False, False, False]


@pytest.mark.parametrize("seed", range(4))
def test_iht_recovers_exactly_despite_corruption_in_any_order(draw, seed):
    X, y, coef, clean = draw(n=300, p=60, k=5, corrupted=0.2, seed=seed, first=False)
    model = TrimmedIterativeHardThresholding(n_selected=5, clean_size=0.8).fit(X, y)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-9)
    np.testing.assert_array_equal(model.inlier_mask_, clean)
    adaptive = TrimmedIterativeHardThresholding(n_selected=5, fit_intercept=True).fit(X, y + 1)
    np.testing.assert_allclose(adaptive.coef_, coef, atol=1e-6)


def test_the_refit_is_least_squares_on_the_clean_rows(draw):
    X, y, _, _ = draw(n=200, p=30, k=4, corrupted=0.1, noise=0.3, first=False)
    model = TrimmedIterativeHardThresholding(n_selected=4).fit(X, y)
    S, G = model.inlier_mask_, model.support_
    np.testing.assert_allclose(model.coef_[G], np.linalg.lstsq(X[S][:, G], y[S], rcond=None)[0], atol=1e-8)
    rough = TrimmedIterativeHardThresholding(n_selected=4, refit=False).fit(X, y)
    assert np.linalg.norm(rough.coef_ - model.coef_) > 1e-6


@pytest.mark.parametrize("make", [Grafting, OnlineSubstitution, TrimmedIterativeHardThresholding])
def test_unusual_data_has_a_defined_result(draw, make):
    X, y, _, _ = draw(n=30, p=5)
    assert make(n_selected=50).fit(X, y).support_.sum() <= 5
    assert np.isfinite(make(n_selected=2).fit(X[:1], y[:1]).coef_).all()
    assert not make().fit(np.zeros((30, 3)), y).coef_.any()
    with pytest.raises(ValueError, match="n_selected is -1"):
        make(n_selected=-1).fit(X, y)
