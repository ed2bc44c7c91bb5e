"""Homotopy and DALM on one program, HiGHS as the judge; the path against the Lasso of [X, I] and its conditions."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from benchkit_robust_regression.estimators.dense_error import DualAugmentedLagrangian, Homotopy
from benchkit_robust_regression.solvers.dense_error_path import DenseErrorPath


def objective(X, y, w):
    return np.abs(w).sum() + np.abs(y - X @ w).sum()


def least_objective(X, y):
    eye = np.eye(len(y))
    equations = np.hstack([X, -X, eye, -eye])
    return linprog(np.ones(equations.shape[1]), A_eq=equations, b_eq=y, method="highs").fun


@pytest.mark.parametrize("solver", [Homotopy, DualAugmentedLagrangian])
@pytest.mark.parametrize(("n", "p", "scale"), [(60, 20, 1), (30, 50, 1), (40, 40, 1), (60, 10, 1e-3), (60, 10, 1e3)])
def test_reach_the_least_objective_to_1e_4(draw, solver, n, p, scale):
    X, y, _, _ = draw(n=n, p=p, corrupted=0.2, noise=0.2)
    X, y = scale * X, scale * y
    model = solver().fit(X, y)
    least = least_objective(X, y)
    assert least * (1 - 1e-9) <= objective(X, y, model.coef_) <= least * (1 + 1e-4)


@pytest.mark.parametrize("solver", [Homotopy, DualAugmentedLagrangian])
def test_corrects_sparse_errors_exactly(draw, solver):
    # Few corrupted rows and no noise: the minimiser is the truth, of whatever size the errors are.
    X, y, coef, clean = draw(n=200, p=20, k=3, corrupted=0.1, first=False)
    params = {} if solver is Homotopy else {"tol": 1e-7}
    model = solver(n_selected=3, batch_size=8, **params).fit(X, y)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-3)
    assert clean[model.inlier_mask_].all()


def test_dalm_says_where_it_did_not_get_there(draw):
    X, y, _, _ = draw(n=60, p=10, corrupted=0.2, noise=0.1)
    with pytest.warns(ConvergenceWarning, match=r"no gap of 0\.0001 after 20 iterations"):
        DualAugmentedLagrangian(max_iter=20).fit(X, y)


@pytest.mark.parametrize("solver", [Homotopy, DualAugmentedLagrangian])
def test_zero_responses(draw, solver):
    X, _, _, _ = draw(n=10, p=4)
    model = solver().fit(X, np.zeros(10))
    assert not model.coef_.any()
    assert model.n_clean_ == 10


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_clean_rows_are_those_within_the_noise(draw, noise):
    X, y, _, clean = draw(n=400, p=20, corrupted=0.2, noise=noise)
    found = Homotopy().fit(X, y).inlier_mask_
    assert 2 * (found & clean).sum() / (found.sum() + clean.sum()) > 0.95
    assert Homotopy(clean_size=0.7).fit(X, y).n_clean_ == 280
    with pytest.raises(ValueError, match="clean_size is 'some'"):
        Homotopy(clean_size="some").fit(X, y)
    assert Homotopy().fit(X[:20], y[:20]).n_clean_ == 20  # all of which can be fitted


def problem(seed, n, p):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X @ (rng.normal(size=p) * (rng.random(p) < 0.5)) + 0.1 * rng.normal(size=n)
    y[rng.random(n) < 0.3] *= -3
    return X, y


@pytest.mark.parametrize(("n", "p"), [(60, 15), (20, 45), (30, 30)])
def test_every_corner_is_the_minimum_at_its_penalty(n, p):
    X, y = problem(0, n, p)
    path = DenseErrorPath(X, y)
    corners = 0
    while not path.follow(path.n_steps + 1):
        w = path.weights
        band = np.clip(y - X @ w, -path.penalty, path.penalty)
        correlations = X.T @ band
        assert np.abs(correlations).max() <= path.penalty * (1 + 1e-6)
        active = np.abs(w) > 1e-9
        np.testing.assert_allclose(correlations[active], path.penalty * np.sign(w[active]), rtol=1e-6, atol=1e-9)
        corners += 1
    assert corners >= min(n, p)


def test_corners_are_those_of_the_lasso_on_the_joint_matrix():
    n, p = 25, 10
    X, y = problem(0, n, p)
    alphas, _, coefficients = lars_path(np.hstack([X, np.eye(n)]), y, method="lasso", alpha_min=0.0)
    path = DenseErrorPath(X, y)
    penalties, weights = [path.penalty], [path.weights]
    while path.penalty > 0.05 * n * alphas[0]:
        path.follow(path.n_steps + 1)
        penalties.append(path.penalty)
        weights.append(path.weights)
    for penalty, w in zip(penalties, weights, strict=True):
        # scikit-learn divides by the number of rows.
        expected = [np.interp(-penalty / n, -alphas, row) for row in coefficients[:p]]
        np.testing.assert_allclose(w, expected, atol=1e-7)


# The first has a column of 1e4, whose constraint is off by 4e-6; the second's last event is 4e-10 of its first penalty.
@example(seed=133372, n=17, p=2, kind="scales")
@example(seed=21757, n=22, p=10, kind="scales")
@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 30),
    p=st.integers(1, 30),
    kind=st.sampled_from(["plain", "columns twice", "columns of zeros", "scales", "few values", "consistent"]),
)
def test_ends_at_the_least_objective(seed, n, p, kind):
    X, y = problem(seed, n, p)
    if kind == "columns twice":
        X = np.hstack([X, X[:, ::2]])
    elif kind == "columns of zeros":
        X[:, ::2] = 0.0
    elif kind == "scales":
        X *= np.logspace(-4, 4, p)
    elif kind == "few values":
        X = np.round(X) + 1e-6 * X  # ties, as nearly as the path can tell them apart
    elif kind == "consistent":
        y = X[:, 0].copy()
    path = DenseErrorPath(X, y)
    assert path.follow(50 * (n + p))
    least = least_objective(X, y)
    # The dual proves it, without another solver.
    assert np.abs(path.dual).max() <= 1
    # An error in it counts in a constraint as much as the column is large, and in the proof only as much as the column
    # times its weight, which is of the size of y: a column of 1e4 is judged in its own size.
    size = np.maximum(np.abs(X).sum(axis=0), 1.0)
    assert (np.abs(X.T @ path.dual) <= 1 + 1e-6 * size).all()
    assert y @ path.dual == pytest.approx(least, rel=1e-6)
    assert least * (1 - 1e-6) <= np.abs(path.weights).sum() + np.abs(y - X @ path.weights).sum() <= least * (1 + 1e-6)


def test_rounding_is_mended_on_the_way():
    # Errors a thousand and more times those of rounding, in all that a step takes over from the one before it.
    X, y = problem(0, 150, 40)
    straight = DenseErrorPath(X, y)
    assert straight.follow(1000)
    assert straight.n_steps > 110
    path = DenseErrorPath(X, y)
    path.follow(50)
    path._inverse[: path._n_active, : path._n_active] *= 3.0  # the rest of it holds nothing yet
    path.follow(98)
    path._residuals += 1e-9
    path._correlations -= 1e-9
    path.follow(100)
    np.testing.assert_allclose(path._residuals, y - X @ path.weights, rtol=0, atol=1e-12)
    assert path.follow(1000)
    np.testing.assert_allclose(path.weights, straight.weights, atol=1e-7)


def test_says_where_the_path_was_not_finished():
    X, y = problem(0, 40, 10)
    with pytest.warns(ConvergenceWarning, match="above the least objective, after 5 steps"):
        Homotopy(max_iter=5).fit(X, y)
