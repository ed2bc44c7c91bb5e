"""Eq. 3 by enumeration, also against the deletion of whole groups: lp, fdrop and o2b; chunks; theory."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix
from sklearn.base import clone

from benchkit import Features
from benchkit_feature_noise.bounds import worst_case_hinge
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram, draw_chunks
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.estimators.verification import verify

GROUPS = [[1, 2, 3], [4, 5]]
N_FEATURES = 3
COLUMNS = 6


def problem(one_hot, seed=0, m=16):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, COLUMNS))
    if one_hot:
        for group in GROUPS:
            # Rows whose category is unknown have none.
            X[:, group] = np.vstack([np.eye(len(group)), np.zeros(len(group))])[rng.integers(0, len(group) + 1, m)]
    return X, np.where(X @ [1, 2, -1, 0.5, -2, 1] + rng.normal(size=m) > 0.3, 1, -1)


def kept(budget):
    """Masks of the columns that an adversary may leave, and how many features those are."""
    features = Features(COLUMNS, GROUPS)
    for count in range(budget + 1):
        for gone in combinations(range(N_FEATURES), count):
            mask = np.ones(N_FEATURES)
            mask[list(gone)] = 0.0
            yield features.spread(mask), N_FEATURES - count


def least_lp(X, y, left, P, C):
    """Optimum of Eq. 3: one constraint for each set of features that may be left, a mask of columns and their value."""
    m, n = X.shape
    rows, bounds = [], []
    for i in range(m):
        for mask, value in left:
            rows.append(np.concatenate([-y[i] * mask * X[i], [-y[i]], -np.eye(m)[i]]))
            bounds.append(-value / P)
    limits = [(-C, C)] * n + [(None, None)] + [(0, None)] * m
    cost = np.concatenate([np.zeros(n + 1), np.full(m, 1 / m)])
    return linprog(cost, A_ub=np.array(rows), b_ub=bounds, bounds=limits, method="highs").fun


@pytest.mark.parametrize(("budget", "one_hot"), [*product([0, 1, 2], [True, False])])
def test_lp_and_fdrop_are_exact_against_whole_groups(budget, one_hot):
    X, y = problem(one_hot)
    for rows in (X, csr_matrix(X)):
        model = RobustLinearProgram(C=0.8, noise_budget=budget, groups=GROUPS, keep_multipliers=True).fit(rows, y)
        least = least_lp(X, y, list(kept(budget)), N_FEATURES - budget, 0.8)
        assert model.objective_ == pytest.approx(least, abs=2e-6)
        assert all(check.holds for check in verify(model, rows, y))
    model = FeatureDroppingSVM(C=0.5, n_deleted=budget, groups=GROUPS, keep_multipliers=True).fit(X, y)
    scores = [X @ (model.coef_[0] * mask) + model.intercept_[0] for mask, _ in kept(budget)]
    losses = np.maximum(0.0, 1.0 - y * scores).max(axis=0)  # Eq. 6
    assert model.objective_ == pytest.approx(0.5 * (model.coef_**2).sum() + 0.5 * losses.sum())
    assert model.objective_ == pytest.approx(model.dual_objective_, rel=1e-5)
    assert all(check.holds for check in verify(model, X, y))


@pytest.mark.parametrize(("budget", "one_hot"), [*product([0, 1, 2], [True, False])])
def test_the_perceptron_suffers_the_loss_of_the_worst_group(budget, one_hot):
    X, y = problem(one_hot)
    model = OnlineToBatchPerceptron(noise_budget=budget, groups=GROUPS)
    P = N_FEATURES - budget
    w, b, suffered = np.zeros(COLUMNS), 0.0, 0.0
    for t in range(len(y)):
        losses = {tuple(mask): left / P - y[t] * ((w * mask) @ X[t] + b) for mask, left in kept(budget)}
        suffered += max(0.0, *losses.values())
        model.partial_fit(X[t : t + 1], y[t : t + 1], classes=[-1, 1])
        assert model.cumulative_loss_ == pytest.approx(suffered)
        w, b = model._weights, model._bias[0]


@pytest.mark.parametrize("seed", range(2))
def test_theorem_1a_and_1c_other_values_bound_it_from_above_by_at_most_C(seed):
    rng = np.random.default_rng(seed)
    X = np.clip(rng.normal(size=(14, 4)) * (rng.random((14, 4)) < 0.8), -1, 1)
    y = np.where(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=14) > 0, 1, -1)
    values = np.array([0.5, 1.0, 1.7, 2.2])
    model = RobustLinearProgram(C=0.7, noise_budget=1.5, feature_values=values).fit(X, y)
    masks = map(np.array, product([0.0, 1.0], repeat=4))
    left = [(mask, values @ mask) for mask in masks if values @ (1 - mask) <= 1.5]
    exact = least_lp(X, y, left, values.sum() - 1.5, 0.7)
    assert exact - 1e-6 <= model.objective_ <= exact + 0.7


RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 5))
Y = np.where(X[:, 0] - X[:, 1] + RNG.normal(size=60) > 0, 1, -1)


@pytest.mark.parametrize("chunks", [2, 3, 7])
def test_every_row_is_in_one_chunk_and_classes_keep_their_shares(chunks):
    parts = draw_chunks(Y, chunks, random_state=0)
    assert sorted(np.concatenate(parts)) == list(range(60))
    counts = np.array([(Y[rows] == 1).sum() for rows in parts])
    assert np.ptp(counts) <= 1


def test_weights_are_the_mean_of_the_chunks_own_and_their_bound_is_below_the_optimum():
    model = RobustLinearProgram(C=0.5, noise_budget=1, chunks=3, random_state=0).fit(X, Y)
    whole = RobustLinearProgram(C=0.5, noise_budget=1)
    alone = [clone(whole).fit(X[rows], Y[rows]) for rows in draw_chunks(np.where(Y > 0, 1.0, -1.0), 3, 0)]
    np.testing.assert_allclose(model.coef_, np.mean([part.coef_ for part in alone], axis=0))
    np.testing.assert_allclose(model.intercept_, np.mean([part.intercept_ for part in alone], axis=0))
    assert model.n_iter_ == sum(part.n_iter_ for part in alone)
    model = RobustLinearProgram(C=0.5, noise_budget=1, chunks=4, random_state=1).fit(X, Y)
    best = RobustLinearProgram(C=0.5, noise_budget=1).fit(X, Y)
    slack = worst_case_hinge(model.coef_[0], model.intercept_[0], X, Y, np.ones(5), 1)
    assert model.objective_ == pytest.approx(slack.mean())
    assert model.dual_objective_ <= best.dual_objective_ + 1e-6
    assert best.objective_ <= model.objective_ + 1e-9
    assert model.duality_gap_ == model.objective_ - model.dual_objective_
