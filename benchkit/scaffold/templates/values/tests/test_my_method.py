"""What the values promise beyond the rules."""

from collections.abc import Callable

import numpy as np
from benchkit_my_method.my_method import my_method

from benchkit import Features, Results


def test_more_values_cost_more() -> None:
    X = np.array([[0.0, 1.0, 5.0], [0.0, 2.0, 5.0], [0.0, 3.0, np.nan], [0.0, 4.0, 6.0]])
    assert my_method(X, np.zeros(4), Features(3)).tolist() == [0.5, 1.5, 1.0]


def test_in_a_suite(benchkit_tiny_run: Callable[..., Results]) -> None:
    results = benchkit_tiny_run({"feature_values": "my-method"})
    assert {row["status"] for row in results.rows} == {"ok"}
    assert {row["feature_values"] for row in results.rows} == {"my-method"}
