"""TORRENT and RLHH step by step; homotopy and DALM on one program, HiGHS as the judge, the path against the Lasso."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from benchkit.plugin.manager import registry
from benchkit_robust_regression.estimators.dense_error import DualAugmentedLagrangian, Homotopy
from benchkit_robust_regression.estimators.iht_trimmed import TrimmedIterativeHardThresholding
from benchkit_robust_regression.estimators.linear_regressor import UncentredTargetsWarning
from benchkit_robust_regression.estimators.torrent import HeuristicHardThresholding, Torrent
from benchkit_robust_regression.solvers.dense_error_path import DenseErrorPath
from benchkit_robust_regression.solvers.least_squares import RowSubsets, least_squares


def test_least_squares_is_the_shortest_also_of_dependent_columns_and_of_none():
    rng = np.random.default_rng(1)  # of this one rounding leaves pivots that are small, and not zero
    thin = rng.standard_normal((20, 3))
    dependent = np.column_stack([thin, thin[:, 0] + thin[:, 1], np.zeros(20)])
    square = rng.standard_normal((12, 12))
    for A in (thin, thin.T, square, dependent, dependent.T, dependent[:, :4], dependent[:, :4].T, np.empty((4, 0))):
        y = rng.standard_normal(len(A))
        np.testing.assert_allclose(least_squares(A, y), np.linalg.pinv(A) @ y, atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_torrent_recovers_exactly_where_n_is_large_and_the_fraction_known(draw, seed):
    # Bhatia, Jain & Kar 2015, Theorem 3: exact recovery under responses corrupted without noise.
    X, y, coef, clean = draw(n=400, p=10, corrupted=0.2, seed=seed, first=False)
    model = Torrent(corruption=0.2).fit(X, y)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-10)
    np.testing.assert_array_equal(model.inlier_mask_, clean)
    assert model.n_clean_ == 320


@pytest.mark.parametrize("seed", range(2))
def test_rlhh_recovers_without_being_told(draw, seed):
    X, y, coef, clean = draw(n=400, p=10, corrupted=0.2, noise=0.05, seed=seed, first=False)
    model = HeuristicHardThresholding().fit(X, y)
    assert np.linalg.norm(model.coef_ - coef) < 0.05
    assert 2 * (model.inlier_mask_ & clean).sum() / (model.n_clean_ + clean.sum()) > 0.97


@pytest.mark.parametrize("intercept", [0.0, 3.0])
def test_hard_thresholding_itself_finds_weights_and_intercept(intercept):
    X, weights = np.random.default_rng(5).normal(size=(200, 12)), np.zeros(12)
    weights[[2, 7, 9]] = 2.0, -1.0, 0.5
    model = TrimmedIterativeHardThresholding(3, clean_size=1.0, tol=1e-12, refit=False, fit_intercept=intercept > 0)
    model.fit(X, X @ weights + intercept)
    assert model.coef_ == pytest.approx(weights, abs=1e-8)
    assert model.intercept_ == pytest.approx(intercept, abs=1e-8)


def test_a_deviation_is_drawn_from_the_seed(draw):
    X, y, _, _ = draw(n=1000, p=5)
    sizes = {Torrent(corruption=0.4, deviation=0.25, random_state=seed).fit(X, y).n_clean_ for seed in range(20)}
    assert len(sizes) > 10
    assert all(500 <= size <= 700 for size in sizes)
    assert Torrent(corruption=0.4).fit(X, y).n_clean_ == 600


@pytest.mark.parametrize("make", [Torrent, HeuristicHardThresholding])
def test_batches_keep_the_features_of_the_largest_weights(draw, make):
    X, y, coef, _ = draw(n=400, p=50, k=5, corrupted=0.1, noise=0.05, first=False)
    batches = make(n_selected=5, batch_size=7).fit(X, y)
    np.testing.assert_array_equal(batches.support_, coef != 0)
    np.testing.assert_allclose(batches.coef_, make(n_selected=5).fit(X, y).coef_, atol=1e-6)
    assert make(n_selected=5, batch_size=7, fit_intercept=True).fit(X, y + 2).intercept_ == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize("make", [Torrent, HeuristicHardThresholding, Homotopy, DualAugmentedLagrangian])
def test_with_an_intercept_columns_may_lie_anywhere(draw, make):
    X, y, coef, clean = draw(n=300, p=20, k=4, corrupted=0.1, noise=0.05, first=False)
    model = make(n_selected=4, batch_size=7, fit_intercept=True).fit(X + 1e4, y)
    np.testing.assert_array_equal(model.support_, coef != 0)
    np.testing.assert_allclose(model.predict(X + 1e4)[clean], y[clean], atol=0.3)


@pytest.mark.parametrize("make", [Torrent, HeuristicHardThresholding])
def test_more_columns_than_rows_and_other_unusual_data_have_a_result(draw, make):
    X, y, _, _ = draw(n=20, p=50)
    assert make().fit(X, y).support_.all()
    assert make(n_selected=100, batch_size=200).fit(X, y).support_.all()
    assert make(n_selected=3, batch_size=10).fit(X[:1], y[:1]).n_clean_ == 1
    assert not make().fit(np.zeros((20, 3)), y).coef_.any()


def test_targets_far_from_zero_are_met_by_default_and_warned_of_without_an_intercept(draw):
    X, y, _, _ = draw(corrupted=0.1, noise=0.1)
    Z, z, _, _ = draw(noise=0.1)
    assert registry().algorithms["torrent"].make().fit(X, y + 100).score(Z, z + 100) > 0.95
    with pytest.warns(UncentredTargetsWarning, match="no intercept is fitted, .* say fit_intercept=True"):
        Torrent(fit_intercept=False).fit(X, y + 100)


@pytest.mark.parametrize("shape", [(30, 5), (30, 29), (30, 30), (30, 80)])
def test_subsets_of_rows_one_after_another_have_their_own_shortest_solutions(shape):
    rng = np.random.default_rng(0)
    A, y = rng.standard_normal(shape), rng.standard_normal(shape[0])
    subsets = RowSubsets(A, y)
    for share in (1.0, 0.8, 0.75, 0.2, 0.9, 0.9, 0.0, 0.5):  # few rows change, many, none; none are left
        rows = rng.random(30) < share
        np.testing.assert_allclose(subsets.solve(rows), np.linalg.pinv(A[rows]) @ y[rows], atol=1e-8)


@pytest.mark.parametrize("huge", [1e7, 99999999.0, 1e10])
def test_rows_of_huge_values_leave_nothing_behind(huge):
    rng = np.random.default_rng(1)
    A = rng.standard_normal((60, 4))
    y = A @ np.arange(1.0, 5.0) + 0.01 * rng.standard_normal(60)
    A[:4, 0], y[:4] = huge, [huge, -huge, 0.0, 3.0]  # they contradict each other
    subsets = RowSubsets(A, y)
    for first in (0, 2, 4, 5, 3, 6):
        rows = np.arange(60) >= first
        np.testing.assert_allclose(subsets.solve(rows), least_squares(A[rows], y[rows]), rtol=1e-8, atol=1e-8)
        if first >= 4:
            np.testing.assert_allclose(subsets.solve(rows), np.linalg.lstsq(A[rows], y[rows])[0], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    "model",
    [
        Torrent(corruption=0.1),
        Torrent(corruption=0.1, fit_intercept=True),
        HeuristicHardThresholding(),
        TrimmedIterativeHardThresholding(4, clean_size=0.9),
        TrimmedIterativeHardThresholding(4, clean_size=0.9, fit_intercept=True),
    ],
)
def test_contradictory_rows_of_huge_values_leave_the_fit_right(model):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4))
    y = X @ np.arange(1.0, 5.0) + 0.01 * rng.standard_normal(80)
    X[:2], y[:2] = 99999999.0, [99999999.0, -99999999.0]  # at the same place
    np.testing.assert_allclose(model.fit(X, y).coef_, np.arange(1.0, 5.0), atol=0.02)


def least_objective(X, y):
    eye = np.eye(len(y))
    equations = np.hstack([X, -X, eye, -eye])
    return linprog(np.ones(equations.shape[1]), A_eq=equations, b_eq=y, method="highs").fun


@pytest.mark.parametrize("solver", [Homotopy, DualAugmentedLagrangian])
@pytest.mark.parametrize(("n", "p", "scale"), [(60, 20, 1), (30, 50, 1), (40, 40, 1), (60, 10, 1e-3), (60, 10, 1e3)])
def test_reach_the_least_objective_to_1e_4(draw, solver, n, p, scale):
    X, y, _, _ = draw(n=n, p=p, corrupted=0.2, noise=0.2)
    X, y = scale * X, scale * y
    least = least_objective(X, y)
    coef = solver().fit(X, y).coef_
    assert least * (1 - 1e-9) <= np.abs(coef).sum() + np.abs(y - X @ coef).sum() <= least * (1 + 1e-4)


@pytest.mark.parametrize("solver", [Homotopy, DualAugmentedLagrangian])
def test_corrects_sparse_errors_exactly_and_explains_zeros_by_nothing(draw, solver):
    # Few corrupted rows and no noise: the minimiser is the truth, of whatever size the errors are.
    X, y, coef, clean = draw(n=200, p=20, k=3, corrupted=0.1, first=False)
    model = solver(n_selected=3, batch_size=8, **({} if solver is Homotopy else {"tol": 1e-7})).fit(X, y)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-3)
    assert clean[model.inlier_mask_].all()
    model = solver().fit(X, np.zeros(200))
    assert not model.coef_.any()
    assert model.n_clean_ == 200


def test_what_did_not_get_there_says_so(draw):
    X, y, _, _ = draw(n=60, p=10, corrupted=0.2, noise=0.1)
    with pytest.warns(ConvergenceWarning, match=r"no gap of 0\.0001 after 20 iterations"):
        DualAugmentedLagrangian(max_iter=20).fit(X, y)
    X, y = problem(0, 40, 10)
    with pytest.warns(ConvergenceWarning, match="above the least objective, after 5 steps"):
        Homotopy(max_iter=5).fit(X, y)


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
