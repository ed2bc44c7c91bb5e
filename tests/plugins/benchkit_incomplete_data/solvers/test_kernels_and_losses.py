"""Gradients against finite differences; duals against primals, scikit-learn and libsvm, from cold and warm starts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from benchkit_incomplete_data.solvers import losses
from benchkit_incomplete_data.solvers.imputation_search import FixedLearner, Incomplete
from benchkit_incomplete_data.solvers.kernels import LinearKernel, RBFKernel, SquaredDistance, make_kernel
from benchkit_incomplete_data.solvers.losses import HingeLoss, SquaredLoss


def slopes(function, X, step=1e-5):
    found = np.zeros_like(X)
    for place in np.ndindex(X.shape):
        change = np.zeros_like(X)
        change[place] = step
        found[place] = (function(X + change) - function(X - change)) / (2 * step)
    return found


@pytest.mark.parametrize("kernel", [RBFKernel(0.3), LinearKernel()], ids=["rbf", "linear"])
def test_sums_and_gradients(kernel):
    rng = np.random.default_rng(0)
    A, B, P = rng.normal(size=(5, 3)), rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    c, e = rng.normal(size=5), rng.normal(size=4)
    distance = kernel.matrix(A, A) - 2 * kernel.matrix(A, P) + kernel.matrix(P, P)  # equation 4
    cases = [
        (kernel.diagonal, (), np.trace(kernel.matrix(A, A))),
        (kernel.pairs, (P,), np.trace(kernel.matrix(A, P))),
        (lambda X: kernel.quadratic(X, c), (), c @ kernel.matrix(A, A) @ c),
        (lambda X: kernel.bilinear(X, B, e), (), (kernel.matrix(A, B) @ e).sum()),
        (lambda X: SquaredDistance().value_and_gradient(kernel, X, P), (), np.trace(distance)),
    ]
    for function, others, value in cases:
        found, gradient = function(A, *others)
        assert found == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(gradient, slopes(lambda X, f=function, o=others: f(X, *o)[0], A), atol=1e-8)


def test_gradient_of_step_2_is_the_formula_and_zero_where_observed():
    # With W = (c c^T) o K, r = W 1, h_i = k(omega_i, prior_i):
    # -4 a gamma (diag(r) omega - W omega) + 4 lambda gamma diag(h) (omega - prior).
    rng = np.random.default_rng(2)
    prior, missing = rng.normal(size=(7, 4)), rng.random((7, 4)) < 0.6
    coef, gamma, weight, trade_off = rng.normal(size=7), 0.2, -0.5, 3.0
    data = Incomplete(prior, missing, np.full(4, -3.0), np.full(4, 3.0), location=np.full(4, 0.3), unit=1.0)
    kernel = RBFKernel(gamma)
    fixed = FixedLearner(data, kernel, SquaredDistance(), trade_off, weight, coef)
    omega = np.where(missing, rng.normal(size=(7, 4)), prior).astype(np.float32)
    value, gradient = fixed.value_and_gradient(omega - np.float32(0.3))
    K = kernel.matrix(omega, omega)
    W, h = np.outer(coef, coef) * K, np.diag(kernel.matrix(omega, prior))
    expected = -4 * weight * gamma * (W.sum(axis=1)[:, None] * omega - W @ omega)
    expected += 4 * trade_off * gamma * h[:, None] * (omega - prior)
    np.testing.assert_allclose(gradient, expected * missing, rtol=2e-4, atol=1e-5)
    assert value == pytest.approx(weight * coef @ K @ coef + 2 * trade_off * (1 - h).sum(), rel=1e-5)


def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    return X, np.where(X[:, 0] ** 2 + rng.normal(size=40) > 0.8, 1.0, -1.0)


def test_squared_loss_is_kernel_ridge_and_dual_meets_primal():
    X, _ = data()
    y, K = np.sin(X[:, 0]), RBFKernel(0.5).matrix(X, X)
    found = SquaredLoss(eta=0.3).solve(K, y)
    scores = K @ found.coef
    np.testing.assert_allclose(scores, KernelRidge(alpha=0.3, kernel="rbf", gamma=0.5).fit(X, y).predict(X), atol=1e-9)
    assert ((y - scores) ** 2).sum() + 0.3 * found.coef @ scores == pytest.approx(found.value, rel=1e-10)


def test_scale_is_that_of_scikit_learn():
    X, y = data()
    assert make_kernel("rbf", "scale", X).gamma == pytest.approx(SVC().fit(X, y)._gamma)
    assert make_kernel("rbf", "scale", np.ones((2, 2))).gamma == 1.0


def problem(seed, n, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    if kind == "identical":  # all rows are one of three, whatever their label
        X = X[rng.integers(min(3, n), size=n)]
    others = {"flat": rbf_kernel(X, gamma=1e-6), "linear": X @ X.T, "zero": np.zeros((n, n))}
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return others.get(kind, rbf_kernel(X, gamma=0.5)), y


KINDS = ["rbf", "identical", "flat", "linear", "zero"]


def check_same_optimum(K, y, C, tol, solution):
    svc = SVC(C=C, kernel="precomputed", tol=tol).fit(K, y)
    coef = np.zeros(len(y))
    coef[svc.support_] = svc.dual_coef_[0]
    assert abs(solution.coef.sum()) <= 1e-9 * C * len(y)
    assert (y * solution.coef >= 0).all()
    assert (y * solution.coef <= C).all()
    np.testing.assert_allclose(solution.product, K @ solution.coef, atol=1e-8 * C)
    # A violation of tol leaves each of the n coefficients, at most C, a gain of tol.
    assert solution.value == pytest.approx((y @ coef - 0.5 * coef @ K @ coef) / C, abs=len(y) * tol + 1e-9)
    scores = K @ solution.coef
    risk = np.maximum(0.0, 1.0 - y * (scores + solution.intercept)).sum() + 0.5 / C * solution.coef @ scores
    assert solution.value - 1e-9 <= risk <= solution.value + len(y) * tol + 1e-9


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.sampled_from(KINDS),
    st.sampled_from(KINDS),
    st.sampled_from([0.0, 1e-3, 0.3, 1.0]),
    st.sampled_from([0.01, 1.0, 30.0]),
    st.sampled_from([1e-3, 1e-5]),
)
def test_from_zero_and_from_another_kernels_optimum_it_ends_at_libsvms(seed, n, kind, other, theta, C, tol):
    old, y = problem(seed, n, kind)
    new, _ = problem(seed + 1, n, other)
    loss = HingeLoss(C, tol)
    start = loss.solve(old, y)
    check_same_optimum(old, y, C, tol, start)
    segment = loss.between(old, new, y, start, penalty=0.1)
    for place in (0.7, 1e-2):
        segment.look(place)
    check_same_optimum((1 - theta) * old + theta * new, y, C, tol, segment.solve(theta))


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
