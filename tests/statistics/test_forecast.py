"""A forecast of repetitions is a range, and holds."""

import math

import numpy as np
import pytest

from benchkit.statistics.estimate import estimate
from benchkit.statistics.forecast import in_words, repetitions_range
from benchkit.statistics.sampling import Sample

MOST = 400


def decided_at(values, excess):
    """The first number of values whose interval leaves 0 out; infinite where none of these does."""
    for n in range(6, len(values) + 1):
        low, high = estimate(Sample(values[:n], excess)).interval()
        if low > 0 or high < 0:
            return n
    return math.inf


@pytest.mark.parametrize(("excess", "difference"), [(0.0, 0.3), (0.0, 0.8), (0.05, 0.8)])
def test_the_number_that_decides_lies_within_in_four_of_five_cases(excess, difference):
    rng = np.random.default_rng(3)
    held = []
    while len(held) < 60:
        values = rng.normal(difference, 1, MOST).tolist()
        mean = estimate(Sample(values[:5], excess))
        low, high = mean.interval()
        ends = repetitions_range(mean)
        if low > 0 or high < 0 or math.isinf(ends[0]) or (ends[1] < math.inf and ends[1] > MOST):
            continue
        held.append(ends[0] <= decided_at(values, excess) <= ends[1])
    assert np.mean(held) >= 0.8


def test_four_values_are_too_few():
    assert repetitions_range(estimate(Sample([0.1, 0.2, -0.1, 0.3], 0.0))) is None
    assert repetitions_range(estimate(Sample([0.1] * 6, 0.0))) is None  # no spread: nothing is open


def test_repetitions_that_share_rows_may_never_decide():
    low, high = repetitions_range(estimate(Sample([0.1, -0.2, 0.15, -0.1, 0.02], 1.0)))
    assert high == math.inf
    assert low > 5


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        (None, ""),
        ((9, 25), "4 to 20 more repetitions would decide"),
        ((9, math.inf), "at least 4 more repetitions would decide, perhaps far more"),
        ((math.inf, math.inf), "more repetitions are unlikely to decide"),
        ((3, 4), "1 more would decide"),
    ],
)
def test_in_words(ends, text):
    assert in_words(ends, 5) == text
