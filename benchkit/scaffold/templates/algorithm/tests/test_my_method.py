"""The method itself, and in a run: what holds of any classifier. Add what holds of yours."""

from collections.abc import Callable

import numpy as np

from benchkit import Results
from benchkit_my_method.my_method import MyMethod


def test_it_answers_with_the_classes_and_fits_alike_twice() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    first, second = (MyMethod().fit(X, y).predict(X) for _ in range(2))
    assert set(first) <= {-1, 1}
    np.testing.assert_array_equal(first, second)


def test_it_runs_in_a_suite(benchkit_tiny_run: Callable[..., Results]) -> None:
    results = benchkit_tiny_run({"algorithms": [{"name": "my-method", "tune": {"data": "corrupted"}}, "constant"]})
    assert results.ok
    assert {row["algorithm"] for row in results.records} == {"my-method", "constant"}
