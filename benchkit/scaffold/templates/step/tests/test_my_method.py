"""What the step promises beyond the rules."""

from collections.abc import Callable

import numpy as np
from benchkit_my_method.my_method import MyMethod

from benchkit import Results


def test_the_order_stays_and_tails_become_short() -> None:
    X = np.array([[-1e6], [-1.0], [0.0], [1.0], [2.0], [1e6]])
    made = MyMethod().fit_transform(X)
    assert (np.diff(made[:, 0]) > 0).all()
    assert abs(made).max() < 100


def test_in_a_suite(benchkit_tiny_run: Callable[..., Results]) -> None:
    results = benchkit_tiny_run({"preprocess": [{"my-method": 2.0}, "standardize"]})
    assert {row["status"] for row in results.rows} == {"ok"}
