"""A difference of two methods is of their rows where these are known, and of their repetitions elsewhere."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benchkit.statistics import Measurement, RowValues, combination, difference
from benchkit.statistics.estimate import estimate
from benchkit.statistics.row_differences import mean_over_rows
from benchkit.statistics.sampling import Sampling, make_sample

DRAWN = {"d": Sampling(300, 60)}


def measured(rate, seed):
    """Errors on five random test parts of 60 of 300 rows, which are the same whatever the seed."""
    rng = np.random.default_rng(seed)
    splits = np.random.default_rng(0)
    rows = {(r, "d"): np.sort(splits.choice(300, 60, replace=False)) for r in range(5)}
    losses = {part: rng.random(60) < rate for part in rows}
    values = {part: float(own.mean()) for part, own in losses.items()}
    return Measurement(values, DRAWN, lambda part: RowValues(rows[part], None, losses[part]))


def test_on_new_rows_it_is_that_of_the_rows():
    a, b = measured(0.3, 1), measured(0.2, 2)
    found = difference(a, b)
    parts = [(a.rows(part).rows, a.rows(part).values - b.rows(part).values) for part in a.values]
    expected = mean_over_rows(parts, excess=DRAWN["d"].ratio)
    assert (found.mean, found.stderr) == pytest.approx((expected.mean, math.sqrt(expected.variance)))
    assert found.rows == expected


@pytest.mark.parametrize("scope", ["rows", "splits"])
def test_without_rows_and_on_these_rows_it_is_that_of_repetitions(scope):
    a, b = measured(0.3, 1), measured(0.2, 2)
    by_repetition = {part: a.values[part] - b.values[part] for part in a.values}
    expected = estimate(make_sample(by_repetition, DRAWN, scope))
    without = replace(b, rows=None)
    assert difference(a, without, scope) == expected
    assert scope == "rows" or difference(a, b, scope) == expected


def test_what_either_lacks_counts_for_neither():
    a, b = measured(0.3, 1), measured(0.2, 2)
    fewer = replace(b, values={part: value for part, value in b.values.items() if part[0] < 3})
    assert difference(a, fewer).n == 3
    assert difference(a, replace(b, values={})) is None


def test_a_combination_is_linear():
    a, b, c = measured(0.3, 1), measured(0.2, 2), measured(0.1, 3)
    found = combination([(0.5, a), (0.5, b), (-1.0, c)])
    assert found.mean == pytest.approx(0.5 * (difference(a, c).mean + difference(b, c).mean))


def test_rows_that_are_not_known_tell_nothing():
    def unknown(part):
        raise LookupError(part)

    a, b = measured(0.3, 1), measured(0.2, 2)
    assert difference(a, replace(b, rows=unknown)).rows is None
    assert difference(a, replace(b, drawn={"d": Sampling(300, 60, n_groups=20)})).rows is None
