"""The metric itself, and in a run."""

from collections.abc import Callable

import numpy as np

from benchkit import MetricContext, Results
from benchkit_my_method.my_method import my_method


def test_classes_count_alike() -> None:
    y, predictions = np.array([-1, -1, -1, -1, 1, 1]), np.array([-1, -1, -1, 1, -1, 1])
    evaluation = MetricContext(model=None, X=np.zeros((6, 1)), y=y, predictions=predictions, truth={})
    assert my_method(evaluation) == (1 / 4 + 1 / 2) / 2


def test_it_runs_in_a_suite(benchkit_tiny_run: Callable[..., Results]) -> None:
    results = benchkit_tiny_run({"metrics": ["error", "my-method"]})
    assert results.ok
    assert all(0 <= row["metrics"]["my-method"] <= 1 for row in results.records)
