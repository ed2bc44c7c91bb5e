"""That no number of repetitions decides is said only where it is known."""

import math

import numpy as np
import pytest

from benchkit.statistics.estimate import APART, estimate, out_of_reach
from benchkit.statistics.sampling import Sample


def on_new_rows(values, excess=1 / 3):
    return estimate(Sample(list(values), excess))


@pytest.mark.parametrize("draw", ["normal", "exponential"])
@pytest.mark.parametrize("excess", [0.1, 1 / 3, 1.0])
def test_of_what_can_just_be_decided_it_is_seldom_said(draw, excess):
    rng = np.random.default_rng(4)
    limit = 1.97 * math.sqrt(excess)
    said = 0
    for _ in range(500):
        values = rng.normal(size=5) if draw == "normal" else rng.exponential(size=5) - 1
        mean = on_new_rows(limit + values, excess)
        said += out_of_reach(mean, APART)
    assert said <= 0.05 * 500


def test_of_equal_methods_it_is_said_in_time():
    noise = np.random.default_rng(1).normal(size=40)
    assert not out_of_reach(on_new_rows(noise[:5]), APART)
    assert out_of_reach(on_new_rows(noise), APART)
    assert not out_of_reach(on_new_rows(noise, 0.0), APART)  # fresh data: more repetitions are more rows


def test_a_margin_that_is_wide_enough_lets_them_be_decided():
    noise = 0.01 * np.random.default_rng(1).normal(size=40)
    assert not out_of_reach(on_new_rows(noise), (*APART, (-0.1, 0.1)))
    assert out_of_reach(on_new_rows(noise), (*APART, (-0.005, 0.005)))


def test_where_all_rows_are_tested_nothing_is_ever_decided():
    assert out_of_reach(on_new_rows([0.1, 0.2, 0.3], math.inf), APART)
    assert not out_of_reach(estimate(Sample([0.1, 0.2, 0.3], math.inf, sampled=False)), APART)
