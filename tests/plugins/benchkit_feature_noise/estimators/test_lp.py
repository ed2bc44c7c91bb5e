"""Eq. 4 of Dekel, Shamir & Xiao 2010 against Eq. 3 by enumeration, and against theory."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.base import clone

from benchkit_feature_noise.bounds import worst_case_hinge
from benchkit_feature_noise.estimators.lp import RobustLinearProgram, draw_chunks


def problem(seed=0, m=14, n=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.8)
    y = np.where(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=m) > 0, 1, -1)
    return X, y


def exponential_program(X, y, values, budget, C):
    """Optimum of Eq. 3, one constraint for each feature set that the adversary may leave."""
    m, n = X.shape
    P = values.sum() - budget
    keeps = [np.array(kept) for kept in product([0.0, 1.0], repeat=n) if values @ (1 - np.array(kept)) <= budget + 1e-9]
    rows, bounds = [], []
    for i in range(m):
        for kept in keeps:
            slack = np.zeros(m)
            slack[i] = -1
            rows.append(np.concatenate([-y[i] * kept * X[i], [-y[i]], slack]))
            bounds.append(-values @ kept / P)
    cost = np.concatenate([np.zeros(n + 1), np.full(m, 1 / m)])
    limits = [(-C, C)] * n + [(None, None)] + [(0, None)] * m
    return linprog(cost, A_ub=np.array(rows), b_ub=bounds, bounds=limits, method="highs").fun


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("budget", [0, 1, 2, 3])
def test_theorem_1b_whole_budgets_and_unit_values_are_exact(seed, budget):
    X, y = problem(seed)
    model = RobustLinearProgram(C=0.7, noise_budget=budget).fit(X, y)
    assert model.objective_ == pytest.approx(exponential_program(X, y, np.ones(4), budget, 0.7), abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_theorem_1a_and_1c_other_values_bound_it_from_above_by_at_most_C(seed):
    X, y = problem(seed)
    X = np.clip(X, -1, 1)
    values = np.array([0.5, 1.0, 1.7, 2.2])
    model = RobustLinearProgram(C=0.7, noise_budget=1.5, feature_values=values).fit(X, y)
    exact = exponential_program(X, y, values, 1.5, 0.7)
    assert exact - 1e-6 <= model.objective_ <= exact + 0.7


def test_theorem_1b_needs_a_whole_budget():
    gaps = []
    for seed in range(6):
        X, y = problem(seed)
        model = RobustLinearProgram(C=0.7, noise_budget=1.5).fit(X, y)
        gaps.append(model.objective_ - exponential_program(X, y, np.ones(4), 1.5, 0.7))
    assert max(gaps) > 1e-3


RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 5))
Y = np.where(X[:, 0] - X[:, 1] + RNG.normal(size=60) > 0, 1, -1)


@pytest.mark.parametrize("chunks", [2, 3, 7])
def test_every_row_is_in_one_chunk_and_classes_keep_their_shares(chunks):
    parts = draw_chunks(Y, chunks, random_state=0)
    assert sorted(np.concatenate(parts)) == list(range(60))
    counts = np.array([(Y[rows] == 1).sum() for rows in parts])
    assert np.ptp(counts) <= 1


def test_weights_are_the_mean_of_the_chunks_own():
    model = RobustLinearProgram(C=0.5, noise_budget=1, chunks=3, random_state=0).fit(X, Y)
    whole = RobustLinearProgram(C=0.5, noise_budget=1)
    alone = [clone(whole).fit(X[rows], Y[rows]) for rows in draw_chunks(np.where(Y > 0, 1.0, -1.0), 3, 0)]
    np.testing.assert_allclose(model.coef_, np.mean([part.coef_ for part in alone], axis=0))
    np.testing.assert_allclose(model.intercept_, np.mean([part.intercept_ for part in alone], axis=0))
    assert model.n_iter_ == sum(part.n_iter_ for part in alone)


def test_the_bound_of_chunks_is_below_the_optimum_of_all_rows():
    model = RobustLinearProgram(C=0.5, noise_budget=1, chunks=4, random_state=1).fit(X, Y)
    best = RobustLinearProgram(C=0.5, noise_budget=1).fit(X, Y)
    slack = worst_case_hinge(model.coef_[0], model.intercept_[0], X, Y, np.ones(5), 1)
    assert model.objective_ == pytest.approx(slack.mean())
    assert model.dual_objective_ <= best.dual_objective_ + 1e-6
    assert best.objective_ <= model.objective_ + 1e-9
    assert model.duality_gap_ == model.objective_ - model.dual_objective_
