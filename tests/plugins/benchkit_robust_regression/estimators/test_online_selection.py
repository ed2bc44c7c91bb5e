"""Grafting, online substitution and iterative hard thresholding against independent solutions."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import Lasso

from benchkit_robust_regression.estimators.iht_trimmed import TrimmedIterativeHardThresholding
from benchkit_robust_regression.estimators.online_selection import Grafting, OnlineSubstitution
from benchkit_robust_regression.estimators.roofs import RoOFS


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
    assert Grafting(alpha=0.01, tol=1e-8).fit(np.eye(9), np.arange(-4.0, 5.0)).n_iter_ == 8


def substitution_by_definition(X, y, k, step, max_iter):
    n, w = X.shape[0], np.zeros(X.shape[1])
    held = []
    for feature in range(X.shape[1]):
        held.append(feature)
        for _ in range(max_iter):
            A = X[:, held]
            g = A.T @ (y - X @ w) / n
            w[held] += min(step, g @ g * n / np.sum((A @ g) ** 2)) * g
            if len(held) > k:
                smallest = min(reversed(held), key=lambda j: abs(w[j]))
                held.remove(smallest)
                w[smallest] = 0.0
    return w


@pytest.mark.parametrize(("step", "max_iter"), [(0.1, 1), (0.1, 5), (100.0, 2)])
def test_online_substitution_is_its_definition(draw, step, max_iter):
    X, y, _, _ = draw(n=60, p=40, k=4, noise=0.5, first=False)
    model = OnlineSubstitution(n_selected=6, step=step, max_iter=max_iter, tol=1e-300).fit(X, y)
    np.testing.assert_allclose(model.coef_, substitution_by_definition(X, y, 6, step, max_iter), atol=1e-12)
    assert model.support_.sum() == 6
    assert model.n_iter_ == 40 * max_iter


def test_online_substitution_is_roofs_where_all_rows_are_clean_and_has_an_intercept(draw):
    X, y, _, _ = draw(n=80, p=50, k=5, noise=0.3, corrupted=0.2)
    model = OnlineSubstitution(n_selected=5, max_iter=100).fit(X, y)
    roofs = RoOFS(n_selected=5, batch_size=1, clean_size=1.0).fit(X, y)
    np.testing.assert_allclose(model.coef_, roofs.coef_, atol=1e-12)
    X, y, coef, _ = draw(n=60, p=12, k=3)
    model = OnlineSubstitution(n_selected=12, step=1.0, max_iter=3000, tol=1e-14, fit_intercept=True)
    model.fit(X + 5, y + 2)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-8)
    np.testing.assert_allclose(model.predict(X + 5), y + 2, atol=1e-8)


@pytest.mark.parametrize("value", [0.1, 1e6])
def test_online_substitution_leaves_constant_columns(draw, value):
    X, y, *_ = draw(n=100, p=3, k=2, noise=0.01)
    for place in (0, 3):
        model = OnlineSubstitution(n_selected=2, fit_intercept=True).fit(np.insert(X, place, value, axis=1), y + 5.0)
        assert not model.support_[place]
        # A column far from 0 is none.
        far = OnlineSubstitution(n_selected=2, fit_intercept=True).fit(X + 1e6, y + 5.0)
        np.testing.assert_array_equal(np.delete(model.support_, place), far.support_)


@pytest.mark.parametrize("seed", range(2))
def test_iht_recovers_exactly_despite_corruption_in_any_order(draw, seed):
    X, y, coef, clean = draw(n=300, p=60, k=5, corrupted=0.2, seed=seed, first=False)
    model = TrimmedIterativeHardThresholding(n_selected=5, clean_size=0.8).fit(X, y)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-9)
    np.testing.assert_array_equal(model.inlier_mask_, clean)
    X += np.linspace(0, 1e4, X.shape[1])
    for form, refit in itertools.product((np.asarray, csr_matrix), (True, False)):
        adaptive = TrimmedIterativeHardThresholding(n_selected=5, fit_intercept=True, refit=refit).fit(form(X), y + 1)
        np.testing.assert_allclose(adaptive.coef_, coef, atol=1e-6 if refit else 0.01)
        np.testing.assert_allclose(adaptive.predict(X[clean]), y[clean] + 1, atol=1e-6 if refit else 0.05)


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
