"""Streams depend on their names and nothing else."""

import numpy as np

from benchkit.trial.seeds import integer, stream


def test_equal_names_give_equal_streams():
    assert np.array_equal(stream(1, "a", {"x": 1, "y": 2}).random(5), stream(1, "a", {"y": 2, "x": 1}).random(5))
    assert integer(1, "a") == integer(1, "a")
    assert 0 <= integer(1, "a") < 2**31


def test_any_difference_gives_another_stream():
    numbers = {
        integer(seed, *names) for seed in (0, 1) for names in (("a",), ("b",), ("a", 0), ("a", "0"), ("a", None))
    }
    assert len(numbers) == 10
