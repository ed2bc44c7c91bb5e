"""The method itself, and in a run."""

from collections.abc import Callable

import numpy as np

from benchkit import Results
from benchkit_my_method.my_method import MyMethod


def test_weights_are_the_difference_of_the_means() -> None:
    X, y = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0], [6.0, 1.0]]), np.array([-1, -1, 1, 1])
    model = MyMethod(shrinkage=0.5).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[3.5, 0.0]])
    np.testing.assert_array_equal(model.predict([[2.9, 9.0], [3.1, -9.0]]), [-1, 1])


def test_it_runs_in_a_suite_and_beats_the_majority_class(benchkit_tiny_run: Callable[..., Results]) -> None:
    entry = {"name": "my-method", "tune": {"data": "corrupted"}}
    results = benchkit_tiny_run({"algorithms": [entry, "constant"]})
    assert results.ok
    error = {row["algorithm"]: row["metrics"]["error"] for row in results.records if row["budget"] == 0}
    assert error["my-method"] < error["constant"]
