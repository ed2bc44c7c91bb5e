"""What the split promises beyond the rules."""

from collections.abc import Callable

import numpy as np
from benchkit_my_method.my_method import my_method

from benchkit import Results, SplitContext


def test_no_block_is_in_two_parts() -> None:
    for seed in range(10):
        context = SplitContext(X=np.zeros((103, 2)), y=np.zeros(103), repetition=0, random_state=seed, classify=False)
        train, _, test = my_method(block=5)(context)
        assert not set(train // 5) & set(test // 5)
        assert len(train) + len(test) == 103


def test_in_a_suite(benchkit_tiny_run: Callable[..., Results]) -> None:
    results = benchkit_tiny_run({"split": {"method": "my-method", "train": 0.5, "test": 0.25}})
    assert {row["status"] for row in results.rows} == {"ok"}
    assert {row["split"] for row in results.rows} == {"my-method"}
