"""The dual's ascent against libsvm, from cold and warm starts, on kernels that are singular too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from benchkit_incomplete_data.solvers import losses
from benchkit_incomplete_data.solvers.losses import HingeLoss


def problem(seed, n, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    if kind == "identical":  # all rows are one of three, whatever their label
        X = X[rng.integers(min(3, n), size=n)]
    K = {
        "rbf": rbf_kernel(X, gamma=0.5),
        "identical": rbf_kernel(X, gamma=0.5),
        "flat": rbf_kernel(X, gamma=1e-6),
        "linear": X @ X.T,
        "zero": np.zeros((n, n)),
    }[kind]
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return K, y


KINDS = ["rbf", "identical", "flat", "linear", "zero"]


def check_same_optimum(K, y, C, tol, solution):
    svc = SVC(C=C, kernel="precomputed", tol=tol).fit(K, y)
    coef = np.zeros(len(y))
    coef[svc.support_] = svc.dual_coef_[0]
    expected = (y @ coef - 0.5 * coef @ K @ coef) / C
    assert abs(solution.coef.sum()) <= 1e-9 * C * len(y)
    assert (y * solution.coef >= 0).all()
    assert (y * solution.coef <= C).all()
    np.testing.assert_allclose(solution.product, K @ solution.coef, atol=1e-8 * C)
    # A violation of tol leaves each of the n coefficients, at most C, a gain of tol.
    assert solution.value == pytest.approx(expected, abs=len(y) * tol + 1e-9)
    scores = K @ solution.coef
    risk = np.maximum(0.0, 1.0 - y * (scores + solution.intercept)).sum() + 0.5 / C * solution.coef @ scores
    assert solution.value - 1e-9 <= risk <= solution.value + len(y) * tol + 1e-9


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.sampled_from(KINDS),
    st.sampled_from([0.01, 1.0, 30.0]),
    st.sampled_from([1e-3, 1e-5]),
)
def test_from_zero_it_ends_at_libsvms_optimum(seed, n, kind, C, tol):
    K, y = problem(seed, n, kind)
    check_same_optimum(K, y, C, tol, HingeLoss(C, tol).solve(K, y))


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.sampled_from(KINDS),
    st.sampled_from(KINDS),
    st.sampled_from([0.0, 1e-3, 0.3, 1.0]),
    st.sampled_from([0.01, 1.0, 30.0]),
)
def test_from_another_kernels_optimum_too(seed, n, kind, other, theta, C):
    old, y = problem(seed, n, kind)
    new, _ = problem(seed + 1, n, other)
    loss = HingeLoss(C)
    segment = loss.between(old, new, y, loss.solve(old, y), penalty=0.1)
    for place in (0.7, 1e-2):
        segment.look(place)
    check_same_optimum((1 - theta) * old + theta * new, y, C, 1e-3, segment.solve(theta))


def test_too_few_steps_are_told(monkeypatch):
    K, y = problem(0, 50, "rbf")
    monkeypatch.setattr(losses, "_LEAST_STEPS", 1)
    monkeypatch.setattr(losses, "_STEPS_PER_ROW", 0)
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 steps"):
        HingeLoss(10.0).solve(K, y)


def test_the_intercept_lies_between_the_bounds_where_no_coefficient_is_free():
    K, y = np.eye(2), np.array([1.0, -1.0])
    solution = HingeLoss(0.1).solve(K, y)
    np.testing.assert_allclose(solution.coef, [0.1, -0.1])
    assert solution.intercept == pytest.approx(SVC(C=0.1, kernel="precomputed").fit(K, y).intercept_[0])
