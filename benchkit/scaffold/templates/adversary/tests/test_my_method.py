"""The adversary itself, and in a run."""

from collections.abc import Callable

import numpy as np

from benchkit import Data, Results
from benchkit.testing import tiny_attack
from benchkit_my_method.my_method import MyMethod

DATA = Data(X=np.array([[1.0, -3.0, 2.0], [0.5, 0.1, -0.2]]), y=np.array([-1, 1]))


def test_the_largest_go() -> None:
    result = MyMethod().corrupt(tiny_attack(DATA, budget=2))
    np.testing.assert_array_equal(result.X, [[1.0, 0.0, 0.0], [0.0, 0.1, 0.0]])
    result = MyMethod(signed=True).corrupt(tiny_attack(DATA, budget=2))
    np.testing.assert_array_equal(result.X, [[0.0, -3.0, 0.0], [0.0, 0.0, -0.2]])


def test_it_runs_in_a_suite(benchkit_tiny_run: Callable[..., Results]) -> None:
    suite = {
        "algorithms": [{"name": "svm", "params": {"C": 1}}],
        "adversaries": [{"name": "my-method", "budgets": [0, 8]}],
    }
    results = benchkit_tiny_run(suite)
    assert results.ok
    error = {row["budget"]: row["metrics"]["error"] for row in results.records}
    assert error[8] > error[0]
