"""Means, standard errors and paired differences against scipy and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchkit.report.statistics import mean_and_error, paired_difference, points


def row(repetition, value, status="ok", **fields):
    base = {
        "cell": "c",
        "status": status,
        "dataset": "d",
        "dataset_params": {},
        "group": None,
        "adversary": "a",
        "adversary_params": {},
        "algorithm": "m",
        "budget": 1.0,
        "axis": "budget",
        "axis_value": 1.0,
        "repetition": repetition,
        "metrics": {} if value is None else {"error": value},
    }
    return {**base, **fields}


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30))
def test_mean_and_error_are_scipys(values):
    mean, error = mean_and_error(values)
    assert mean == pytest.approx(np.mean(values), abs=1e-9)
    assert error == pytest.approx(stats.sem(values), abs=1e-9)


def test_mean_and_error_of_few():
    assert mean_and_error([]) == (None, None)
    assert mean_and_error([2.0]) == (2.0, None)


def test_points_count_what_failed():
    (point,) = points([row(0, 0.2), row(1, 0.4), row(2, None, "failed")], ["error"])
    assert (point.mean, point.n, point.failed) == (pytest.approx(0.3), 2, 1)
    assert point.stderr == pytest.approx(0.1)
    (empty,) = points([row(0, None, "failed")], ["error"])
    assert (empty.mean, empty.stderr, empty.n, empty.failed) == (None, None, 0, 1)


def test_a_group_is_averaged_within_repetitions_first():
    rows = [
        row(r, value, cell=cell, group="g", dataset_params={"pair": cell})
        for cell, values in {"x": [0.1, 0.3], "y": [0.5, 0.7]}.items()
        for r, value in enumerate(values)
    ]
    *cells, group = points(rows, ["error"])
    assert [point.mean for point in cells] == pytest.approx([0.2, 0.6])
    assert group.dataset == "g"
    assert (group.mean, group.n) == (pytest.approx(0.4), 2)
    assert group.stderr == pytest.approx(stats.sem([0.3, 0.5]))


def test_paired_difference_is_scipys_interval():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=12), rng.normal(size=12)
    found = paired_difference(dict(enumerate(a)), dict(enumerate(b)))
    interval = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.n == 12


def test_paired_difference_uses_shared_repetitions_only():
    found = paired_difference({0: 1.0, 1: 2.0}, {1: 1.5, 2: 9.0})
    assert (found.mean, found.n) == (0.5, 1)
    assert math.isnan(found.low)
    assert paired_difference({0: 1.0}, {1: 1.0}) is None
