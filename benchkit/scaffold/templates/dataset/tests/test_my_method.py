"""The data itself, and in a run."""

from collections.abc import Callable

import numpy as np

from benchkit import Results
from benchkit_my_method.my_method import load_my_method


def test_the_means_differ_where_they_should() -> None:
    data = load_my_method(n=20000, n_informative=3, distance=2.0)
    difference = data.X[data.y == 1].mean(axis=0) - data.X[data.y == -1].mean(axis=0)
    np.testing.assert_allclose(difference, 2.0 * data.truth["informative"], atol=0.1)


def test_it_runs_in_a_suite(benchkit_tiny_run: Callable[..., Results]) -> None:
    results = benchkit_tiny_run({"datasets": ["my-method"], "algorithms": [{"name": "svm", "params": {"C": 1}}]})
    assert results.ok
    assert {row["dataset"] for row in results.records} == {"my-method"}
