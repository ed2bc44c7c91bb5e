"""How many units would decide: a range that holds what simulation finds."""

import math

import numpy as np
import pytest

from benchkit.statistics.all_pairs import all_pairs, units_to_decide


def test_nothing_is_said_below_five_units():
    assert units_to_decide(1.0, 4, math.inf, 1) is None
    assert units_to_decide(1.0, 5, math.inf, 1) is not None


def test_a_difference_that_may_be_none_has_no_upper_end():
    low, high = units_to_decide(0.3, 50, 1.96, 1)
    assert 51 <= low < math.inf
    assert math.isinf(high)
    assert units_to_decide(0.0, 50, 1.96, 1)[1] == math.inf


def test_the_range_holds_the_units_that_do_decide():
    """With an effect of 0.3 standard deviations, 1.96^2 (1 + 1 / 0.09) = 47 units decide as likely as not."""
    rng = np.random.default_rng(1)
    held, shares = [], []
    for _ in range(300):
        d = rng.normal(0.3, 1, 20)
        found = all_pairs(np.column_stack([d, np.zeros(20)]) / 20)
        low, high = units_to_decide(found.statistic[0, 1], 20, found.critical, 1)
        held.append(low <= 47 <= high)
        later = rng.normal(0.3, 1, 47)
        shares.append(abs(later.sum()) / math.sqrt((later**2).sum()) > 1.96)
    assert np.mean(shares) == pytest.approx(0.5, abs=0.12)
    assert np.mean(held) > 0.6


def test_more_pairs_need_more_units():
    one, many = units_to_decide(2.0, 100, 2.0, 1), units_to_decide(2.0, 100, 4.0, 1000)
    assert one[1] < many[1]
