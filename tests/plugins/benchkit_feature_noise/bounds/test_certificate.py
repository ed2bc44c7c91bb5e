"""The bracket of errors against all subsets."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchkit_feature_noise.bounds.certificate import deletion_bracket


@pytest.mark.parametrize("seed", range(5))
def test_exact_error_is_that_of_the_worst_subset(seed):
    rng = np.random.default_rng(seed)
    n, m = 8, 300
    X, y, coef, intercept = rng.normal(size=(m, n)) + 0.5, rng.choice([-1.0, 1.0], m), rng.normal(size=n) + 1, 0.2
    values, budget = rng.gamma(1.0, size=n), 2.0
    kept = np.array([subset for subset in product([0, 1], repeat=n) if (1 - np.array(subset)) @ values <= budget])
    worst = np.array([(label * (intercept + kept @ (x * coef))).min() for x, label in zip(X, y, strict=True)])
    for data in (X, csr_matrix(X)):
        greedy, exact, relaxation = deletion_bracket(coef, intercept, data, y, values, budget)
        assert exact == pytest.approx((worst <= 0).mean())
        assert greedy <= exact <= relaxation


def test_gaps_are_seen_and_without_budget_there_is_none():
    # Of the margin 11.2 greedy takes 9.7, exact 11.4, the relaxation more.
    coef, X, values = np.array([4.0, 5.7, 5.7]), np.ones((1, 3)), np.array([2.0, 3.0, 3.0])
    bracket = deletion_bracket(coef, -4.2, X, np.ones(1), values, 6.0)
    assert bracket == (0.0, 1.0, 1.0)
    assert deletion_bracket(coef, -4.2, X, np.ones(1), values, 0.0) == (0.0, 0.0, 0.0)


def test_above_the_work_limit_the_exact_error_is_unknown():
    coef, X, values = np.array([4.0, 5.7, 5.7]), np.ones((1, 3)), np.array([2.0, 3.0, 3.0])
    assert deletion_bracket(coef, -4.2, X, np.ones(1), values, 6.0, work_limit=1) == (0.0, None, 1.0)
