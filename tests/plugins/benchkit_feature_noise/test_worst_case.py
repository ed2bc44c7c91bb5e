"""The worst case of the linear program against its exponential form."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchkit_feature_noise.worst_case import remaining_value, worst_case_hinge


@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_worst_case_hinge_is_the_slack_of_the_exponential_program(make):
    rng = np.random.default_rng(0)
    n, budget = 4, 2
    X, y, w, b = rng.normal(size=(6, n)), rng.choice([-1.0, 1.0], 6), rng.normal(size=n), 0.3
    keeps = np.array([kept for kept in product([0, 1], repeat=n) if n - sum(kept) <= budget])
    expected = [max(0.0, *(keeps.sum(1) / (n - budget) - y[i] * (b + keeps @ (w * X[i])))) for i in range(6)]
    found = worst_case_hinge(w, b, make(X), y, np.ones(n), budget)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_budget_below_the_total_value_leaves_some():
    with pytest.raises(ValueError, match="total value"):
        remaining_value(np.ones(3), 3.0)
    assert remaining_value(np.ones(3), 1.0) == 2.0
