"""`lp` and `fdrop` against HiGHS and Clarabel, over the whole range of what may be asked of them."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram


def random_problem(seed):
    """Rows with all that columns may be: offsets to 1e8, other scales, zeros, constants, repeated ones; 1 at least."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(2, 60)), int(rng.choice([1, 2, 3, 5, 9, 14]))
    X = rng.normal(size=(m, n))
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1)
    y[0], y[1] = 1, -1
    kinds = rng.choice(
        ["plain", "offset", "scaled", "thin", "constant", "repeated"], n, p=[0.4, 0.2, 0.1, 0.1, 0.1, 0.1]
    )
    for j, kind in enumerate(kinds):
        if kind == "offset":
            X[:, j] += rng.choice([-1, 1]) * 10.0 ** rng.uniform(3, 8)
        elif kind == "scaled":
            X[:, j] *= 10.0 ** rng.uniform(-3, 3)
        elif kind == "thin":
            X[:, j] *= rng.random(m) < 0.3
        elif kind == "constant":
            X[:, j] = 10.0 ** rng.uniform(-2, 6)
        elif kind == "repeated":
            X[:, j] = X[:, 0]
    values = np.ones(n) if rng.random() < 0.5 else rng.uniform(0.2, 3.0, n)
    budget = float(rng.choice([0.0, rng.uniform(0, 0.5), rng.uniform(0.5, 1.0), 0.999])) * values.sum()
    weights = rng.choice([0.5, 1.0, 4.0], m) if rng.random() < 0.3 else None
    common = {"C": 10.0 ** rng.uniform(-4, 4), "feature_values": values, "fit_intercept": bool(rng.random() < 0.8)}
    X = csr_matrix(X) if rng.random() < 0.2 else X
    return X, y, weights, common, budget


def fitted(model, X, y, weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, weights)


def check(model, other, X, y, weights, unit, constant):
    """Both brackets hold the optimum, ours is told as it is, and no answer is worse than the best constant."""
    ours, reference = fitted(model, X, y, weights), fitted(other, X, y, weights)
    # What sums of terms w_j x_ij lose by rounding, in either.
    sizes = np.abs(X).max(axis=0).toarray().ravel() if hasattr(X, "toarray") else np.abs(X).max(axis=0)
    terms = max(1.0, float((np.abs(ours.coef_[0]) * sizes).sum()), float((np.abs(reference.coef_[0]) * sizes).sum()))
    rounding = 1e-9 * unit(ours.objective_) + 1e-13 * terms * unit(0.0)
    assert ours.dual_objective_ <= reference.objective_ + rounding
    assert reference.dual_objective_ <= ours.objective_ + rounding
    assert ours.converged_ == (ours.duality_gap_ <= 1e-6 * unit(ours.objective_))
    if ours.converged_:
        assert ours.objective_ <= reference.objective_ + 1e-6 * unit(ours.objective_) + rounding
    assert ours.objective_ <= constant * (1 + 1e-6)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_lp_over_its_whole_range(seed):
    X, y, weights, common, budget = random_problem(seed)
    prices = (np.ones(len(y)) if weights is None else weights) / (len(y) if weights is None else weights.sum())
    least = 2 * min(prices[y > 0].sum(), prices[y < 0].sum()) if common["fit_intercept"] else 1.0
    values = common["feature_values"]
    model = RobustLinearProgram(**common, noise_budget=budget)
    check(model, RobustLinearProgram(**common, noise_budget=budget, solver="highs", tol=1e-8), X, y, weights,
          lambda objective: max(abs(objective), least), least * values.sum() / (values.sum() - budget))  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_fdrop_over_its_whole_range(seed):
    pytest.importorskip("clarabel")
    X, y, weights, common, budget = random_problem(seed)
    losses = common["C"] * (np.ones(len(y)) if weights is None else weights)
    least = 2 * min(losses[y > 0].sum(), losses[y < 0].sum()) if common["fit_intercept"] else losses.sum()
    model = FeatureDroppingSVM(**common, n_deleted=budget)
    check(model, FeatureDroppingSVM(**common, n_deleted=budget, solver="clarabel", tol=1e-8), X, y, weights,
          lambda objective: abs(objective) or least, least)  # fmt: skip
