"""Homotopy and DALM on the same program, with HiGHS as the judge."""

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from benchkit_robust_regression.estimators.dense_error import DualAugmentedLagrangian, Homotopy


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
