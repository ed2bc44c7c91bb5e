"""The method itself, and in a run."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from benchkit import Results
from benchkit.testing import tiny_classification
from benchkit_random_subspace.ensemble import RandomSubspaceClassifier


def test_one_member_that_sees_everything_is_logistic_regression() -> None:
    data = tiny_classification()
    X, y = data.X, data.y
    one = RandomSubspaceClassifier(n_members=1, share=1.0, C=0.5).fit(X, y)
    plain = LogisticRegression(C=0.5, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(one.coef_, plain.coef_)
    np.testing.assert_allclose(one.intercept_, plain.intercept_)


def test_weight_spreads_over_copies_of_a_feature() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], 100)
    strong, weak = y + 0.5 * rng.normal(size=200), y + 2.0 * rng.normal(size=200)
    X = np.column_stack([strong, weak])
    alone = LogisticRegression().fit(X, y).coef_[0]
    spread = RandomSubspaceClassifier(share=0.5, random_state=0).fit(X, y).coef_[0]
    assert spread[1] / spread[0] > alone[1] / alone[0]


@pytest.mark.parametrize("params", [{"n_members": 0}, {"share": 0.0}, {"share": 1.5}])
def test_parameters_out_of_range(params: dict[str, Any]) -> None:
    data = tiny_classification()
    with pytest.raises(ValueError, match="expected at least 1, and 0 < share <= 1"):
        RandomSubspaceClassifier(**params).fit(data.X, data.y)


def test_it_runs_in_a_suite_and_beats_the_majority_class(benchkit_tiny_run: Callable[..., Results]) -> None:
    entry = {"name": "random-subspace", "tune": {"data": "corrupted", "grid": {"share": [0.3, 0.6]}}}
    results = benchkit_tiny_run({"algorithms": [entry, "constant"]})
    assert results.ok
    error = {row["algorithm"]: row["metrics"]["error"] for row in results.records if row["budget"] == 0}
    assert error["random-subspace"] < error["constant"]
