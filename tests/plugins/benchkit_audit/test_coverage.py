"""Intervals of what the loss of a column costs hold the true cost as often as they say, over simulated hold-outs."""

import numpy as np
import pytest

from benchkit_audit.estimates import at_once, difference
from benchkit_audit.lost_columns import Lost

WEIGHTS = np.array([2.0, 1.0, 0.3, 0.0])
HOLDOUTS, ROWS = 400, 200


def losses(random, n, regression):
    """Per row: the loss where nothing is lost, and after each column became 0."""
    X = random.normal(size=(n, 4))
    noise = random.standard_t(3, n) if regression else random.logistic(size=n)
    truth = X @ WEIGHTS + noise
    scores = [X @ WEIGHTS, *(X @ np.where(np.arange(4) == j, 0.0, WEIGHTS) for j in range(4))]
    if regression:  # errors with heavy tails, as prices have
        return [np.abs(score - truth) for score in scores]
    return [((score > 0) != (truth > 0)).astype(float) for score in scores]


@pytest.mark.parametrize("regression", [False, True])
def test_intervals_of_each_column_and_of_the_worst_cover(regression):
    random = np.random.default_rng(0)
    before, *after = losses(random, 1_000_000, regression)
    true = np.array([each.mean() - before.mean() for each in after])
    held, worst = [], []
    for _ in range(HOLDOUTS):
        before, *after = losses(random, ROWS, regression)
        found, single = [], []
        for each in after:
            cost = difference(each, before, not regression)
            single.append(cost)
            wide = difference(each, before, not regression, at_once(len(after)))
            found.append(Lost("", wide, each, None, wide, wide))
        held.append([each.low <= value <= each.high for each, value in zip(single, true, strict=True)])
        largest = max(found, key=lambda each: each.cost.value).cost
        worst.append(largest.low <= true.max() <= largest.high)
    assert np.mean(held, axis=0).min() >= 0.93
    assert np.mean(worst) >= 0.93
