"""Means, standard errors and paired differences against scipy and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchkit.report.points import best_of, points
from benchkit.statistics.estimate import mean_and_error


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30))
def test_mean_and_error_are_scipys(values):
    mean, error = mean_and_error(values)
    assert mean == pytest.approx(np.mean(values), abs=1e-9)
    assert error == pytest.approx(stats.sem(values), abs=1e-9)


def test_points_count_what_failed(make_row):
    (point,) = points([make_row(0, 0.2), make_row(1, 0.4), make_row(2, None, "failed")], ["error"])
    assert (point.mean, point.n, point.failed) == (pytest.approx(0.3), 2, 1)
    assert point.stderr == pytest.approx(0.1)
    (empty,) = points([make_row(0, None, "failed")], ["error"])
    assert (empty.mean, empty.stderr, empty.n, empty.failed) == (None, None, 0, 1)


def test_a_group_is_averaged_within_repetitions_first(make_row):
    rows = [
        make_row(r, value, cell=cell, group="g", dataset_params={"pair": cell})
        for cell, values in {"x": [0.1, 0.3], "y": [0.5, 0.7]}.items()
        for r, value in enumerate(values)
    ]
    *cells, group = points(rows, ["error"])
    assert [point.mean for point in cells] == pytest.approx([0.2, 0.6])
    assert group.dataset == "g"
    assert (group.mean, group.n) == (pytest.approx(0.4), 2)
    assert group.stderr == pytest.approx(stats.sem([0.3, 0.5]))


def test_along_a_parameter_of_the_data_set_parts_pair_from_point_to_point(make_row):
    rows = [
        make_row(0, 0.1 * n, cell=str(n), axis="dataset.n", axis_value=n, dataset_params={"n": n, "margin": 1})
        for n in (1, 2)
    ]
    assert [list(point.parts) for point in points(rows, ["error"])] == [[(0, "d margin=1")]] * 2


def test_intervals_end_where_the_metric_does(make_row):
    rows = [make_row(r, value, n_rows=30, n_test=10) for r, value in enumerate([0.0, 0.1, 0.3])]
    (free,), (ended,) = points(rows, ["error"]), points(rows, ["error"], ranges={"error": (0, 1)})
    assert free.interval()[0] < 0
    assert ended.interval() == (0, free.interval()[1])


def test_a_metric_without_a_value_is_no_failed_trial(make_row):
    (empty,) = points([make_row(0, None)], ["error"])
    assert (empty.mean, empty.n, empty.failed, empty.valueless) == (None, 0, 0, 1)
    (reason,) = points([{**make_row(0, None), "no_value": {"error": "a linear model has none"}}], ["error"])
    assert (reason.failed, reason.valueless) == (0, 0)


def test_a_method_whose_values_are_lacking_is_not_compared_on_the_rest(make_row):
    rows = [make_row(r, 0.1 if r < 2 else None, algorithm="a", cell="a") for r in range(4)]
    rows += [make_row(r, 0.2, algorithm="b", cell="b") for r in range(4)]
    chosen = best_of(points(rows, ["error"]), greater_is_better=False)
    assert chosen is not None
    assert chosen.algorithm == "b"
