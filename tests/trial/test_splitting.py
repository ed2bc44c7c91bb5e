"""Splits: sizes, no group on both sides, nothing trained on what comes later, parts that are given, plugins' parts."""

import re
from contextlib import nullcontext
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchkit import Data, SplitMethod
from benchkit.suite.schema import Split
from benchkit.trial.prepared import Part
from benchkit.trial.split import draw_split
from benchkit.trial.tuning import held_parts


def table(y, **columns):
    return Data(X=np.zeros((len(y), 1)), y=np.asarray(y), columns={k: np.asarray(v) for k, v in columns.items()})


def drawn(data, repetition=0, seed=1, classify=True, **spec):
    return draw_split(None, Split(**spec), data, repetition, classify, seed)


def rows_of(parts):
    return [parts.train, parts.validation, parts.test]


def sizes(parts):
    return tuple(map(len, rows_of(parts)))


def are_apart(groups, *parts):
    held = [set(groups[rows].tolist()) for rows in parts]
    return sum(map(len, held)) == len(set().union(*held))


Y = table([-1] * 60 + [1] * 40)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"train": 0.5, "validation": 0.25, "test": 0.25}, (50, 25, 25)),
        ({"train": 0.5}, (50, 0, 50)),
        ({"train": 30, "validation": 20, "test": 10}, (30, 20, 10)),
        ({"train": {"per_class": 10}, "validation": 20, "test": 30}, (20, 20, 30)),
        ({"train": 0.33, "validation": 0.33, "test": 0.34}, (33, 33, 34)),
        ({"method": "none"}, (100, 0, 100)),
    ],
)
def test_sizes_disjointness_and_proportions_of_classes(spec, expected):
    parts = drawn(Y, **spec)
    assert sizes(parts) == expected
    if "method" not in spec:
        assert len(set(np.concatenate(rows_of(parts)).tolist())) == sum(expected)
        by_class = isinstance(spec["train"], dict)
        assert (Y.y[parts.train] == 1).mean() == pytest.approx(0.5 if by_class else 0.4, abs=0.02)
        np.testing.assert_array_equal(parts.train, drawn(Y, **spec).train)
        assert set(parts.train) != set(drawn(Y, seed=2, **spec).train)


def test_folds_partition_the_rows():
    spec = {"method": "k-fold", "folds": 5, "repetitions": 2, "validation": 0.25}
    assert Split(**spec).total == 10
    folds = [drawn(Y, repetition, 3, **spec) for repetition in range(5)]
    assert sorted(np.concatenate([parts.test for parts in folds]).tolist()) == list(range(100))
    assert sizes(folds[0]) == (60, 20, 20)
    assert len(set(np.concatenate(rows_of(folds[0])).tolist())) == 100


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (([0, 1], [], [1, 2]), "puts a row into two parts"),
        (([0], [], [200]), "no numbers of rows, from 0 to"),
        (([True, False], [], [False, True]), "no numbers of rows"),
        (([0], [1]), "expected three arrays"),
        (([0, 1], [2], []), "leaves the test part empty"),
        (([0, 2], [1], [3]), "1 of 3 groups stand in two parts"),
        (([3, 2], [], np.array([4, 0])), None),
    ],
)
def test_parts_of_a_plugin_are_those_that_it_returns_or_refused(parts, reason):
    declared = SplitMethod(name="given", make=lambda: lambda context: parts)
    data = table([0, 1, 0, 1, 0], patient=[0, 2, 1, 1, 0])
    with nullcontext() if reason is None else pytest.raises((TypeError, ValueError), match=reason):
        made = draw_split(declared, Split(groups="patient"), data, 0, True, 1)
        assert [part.tolist() for part in (*rows_of(made), made.groups)] == [[3, 2], [], [4, 0], [0, 2, 1, 1, 0]]
    with pytest.raises(ValueError, match="no per_class"):
        draw_split(declared, Split(train={"per_class": 5}), data, 0, True, 1)


@st.composite
def patients(draw):
    """Rows of groups of any sizes, with any classes."""
    sizes = draw(st.lists(st.integers(1, 9), min_size=4, max_size=12))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    order = np.random.default_rng(draw(st.integers(0, 99))).permutation(len(groups))
    y = draw(st.lists(st.integers(0, 2), min_size=len(groups), max_size=len(groups)))
    return table(y, patient=groups[order])


SIZES = [{"train": 0.5, "validation": 0.25}, {"train": 3, "test": 2}, {"train": 0.4, "test": 0.3}]


@given(patients(), st.sampled_from(SIZES), st.booleans(), st.integers(0, 9))
def test_no_draw_leaks_a_group(data, spec, stratify, seed):
    try:
        parts = drawn(data, seed=seed, groups="patient", stratify=stratify, **spec)
    except ValueError as error:
        assume("in whole groups" not in str(error))  # counts that leave no room
        raise
    groups, rows = data.columns["patient"], np.concatenate(rows_of(parts))
    assert are_apart(groups, *rows_of(parts))
    assert min(len(parts.train), len(parts.test)) > 0
    assert len(set(rows.tolist())) == len(rows)
    assert "test" in spec or len(rows) == len(groups)
    assert all(len(getattr(parts, name)) >= size for name, size in spec.items() if isinstance(size, int))


@given(patients(), st.integers(2, 4), st.booleans(), st.sampled_from([None, 0.3]), st.integers(0, 9))
def test_no_fold_leaks_a_group(data, folds, stratify, validation, seed):
    groups = data.columns["patient"]
    spec = {"method": "k-fold", "folds": folds, "validation": validation}
    tested = []
    for fold in range(folds):
        try:
            parts = drawn(data, fold, seed, groups="patient", stratify=stratify, **spec)
        except ValueError as error:
            assume("folds empty" not in str(error))
            assume("cannot be greater than" not in str(error))  # no class has a row for each fold
            assume("too few for 2 parts" not in str(error))  # a single group is left beside a fold
            raise
        assert are_apart(groups, *rows_of(parts))
        assert sum(sizes(parts)) == len(groups)
        tested.append(parts.test)
    assert sorted(np.concatenate(tested).tolist()) == list(range(len(groups)))


@given(patients(), st.integers(0, 9))
def test_tunings_folds_keep_groups_apart_too(data, seed):
    groups = data.columns["patient"]
    held = held_parts(SimpleNamespace(train=Part(data.X, data.y, data.X, groups)), 3, False, seed)
    assert len(held) == 3
    assert all(not set(train.groups) & set(held_out.groups) for train, held_out, _ in held)
    assert sorted(np.concatenate([held_out.groups for _, held_out, _ in held]).tolist()) == sorted(groups.tolist())


def test_groups_of_one_class_keep_its_proportion():
    rng = np.random.default_rng(0)
    ill, groups = rng.random(60) < 0.2, np.repeat(np.arange(60), rng.integers(1, 8, 60))
    data = table(ill[groups], patient=groups)
    gaps = {True: 0.0, False: 0.0}
    for stratify, seed in product(gaps, range(20)):
        test = drawn(data, seed=seed, groups="patient", stratify=stratify).test
        gaps[stratify] += abs(data.y[test].mean() - data.y.mean()) / 20
    assert gaps[True] < 0.02 < gaps[False]


def test_all_groups_are_tested_alike():
    data = table(np.zeros(100), patient=np.repeat(np.arange(10), np.arange(1, 20, 2)))
    tested = np.zeros(10)
    for seed in range(200):
        parts = drawn(data, seed=seed, classify=False, train=0.5, groups="patient")
        tested[np.unique(data.columns["patient"][parts.test])] += 1
    assert 70 < tested.min() <= tested.max() < 130


@pytest.mark.parametrize(
    ("column", "value"),
    [(np.array(["2024-01-05", "2024-02-01"] * 3, "M8[s]"), "2024-01-05"), (np.array([True, False] * 3), "True")],
)
def test_a_given_part_is_named_by_a_date_or_a_truth_value(column, value):
    parts = drawn(table(np.zeros(6), when=column), classify=False, test={"column": "when", "value": value})
    assert sorted(parts.test) == [0, 2, 4]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"train": 5, "test": 4}, "only 1 of 6 are left"),
        ({"groups": "pateint"}, "split.groups: the data has no column 'pateint'; did you mean 'patient'?"),
        ({"groups": "gap"}, "split.groups: column 'gap' is missing in 1 of 6 rows, the first in row 2"),
        ({"groups": "patient", "train": 5, "test": 2}, "asks for 5 rows in whole groups where only 6 of 6 are left"),
        ({"groups": "two", "validation": 0.2}, "split.groups: 2 groups are too few for 3 parts"),
        ({"groups": "two", "method": "k-fold", "folds": 3}, "2 groups are too few for 3 folds"),
        ({"time": "word", "test": 1}, "column 'word' cannot be ordered: 'x' in row 1 is no date; write dates as 2024"),
        ({"time": "two", "test": 0.9}, "the dates have room for 0 of the repetitions"),
        ({"test": {"column": "two", "value": 7}}, "split.test: column 'two' is 7 in no row"),
        ({"test": {"column": "two", "value": "x"}}, "column 'two' holds numbers, and 'x' is none"),
        ({"test": {"column": "two", "value": 1}, "groups": "patient"}, "1 of 2 groups stand in two parts"),
    ],
)
def test_columns_that_leave_no_room(spec, message):
    columns = {"patient": [1, 1, 1, 2, 2, 2], "gap": [1, np.nan, 2, 2, 3, 3], "two": [0, 0, 1, 1, 1, 1]}
    with pytest.raises(ValueError, match=re.escape(message)):
        drawn(table([0, 1, 0, 1, 0, 1], word=["x"] * 6, **columns), **spec)


dates = st.lists(st.integers(0, 8), min_size=8, max_size=60)
parts_of = [st.sampled_from(sizes) for sizes in ([0.2, 0.3, 2, 4], [None, 0.2, 2], [None, 0.3, 3])]


@given(dates, *parts_of, st.integers(0, 5))
def test_what_is_trained_on_comes_before_what_is_tested(moments, test, validation, train, origin):
    moments = np.array(moments)
    data = table(np.zeros(len(moments)), day=moments)
    spec = {"time": "day", "test": test, "validation": validation} | ({} if train is None else {"train": train})
    try:
        parts = [drawn(data, repetition, **spec) for repetition in range(origin + 1)]
    except ValueError as error:
        assume("have room for" not in str(error))
        raise
    for each in parts:
        in_order = [moments[rows] for rows in rows_of(each) if len(rows)]
        assert all(a.max() < b.min() for a, b in pairwise(in_order))
        if train is None:  # an expanding window: all that is earlier
            assert len(each.train) == (moments < in_order[1].min()).sum()
        for name, size in (("train", train), ("validation", validation), ("test", test)):
            if isinstance(size, int):
                assert len(getattr(each, name)) >= size
    tested = np.concatenate([each.test for each in parts])
    assert len(set(tested.tolist())) == len(tested)
    assert set(moments[tested].tolist()) == set(range(int(moments[tested].min()), 9)) & set(moments.tolist())


@pytest.mark.parametrize("time", ["day", ["week", "day_of_week"]])
def test_origins_go_back_from_the_latest_rows(time):
    days = np.arange(100)[::-1]
    data = table(np.zeros(100), day=days, week=days // 7, day_of_week=days % 7)
    spec = {"time": time, "test": 0.1, "validation": 0.2}
    first, second = (drawn(data, repetition, **spec) for repetition in range(2))
    assert sizes(first) == (70, 20, 10)
    assert sizes(second) == (60, 20, 10)
    assert set(first.test.tolist()) == set(range(10))  # the latest stand first in this table
    assert sizes(drawn(data, 1, train=0.3, **spec)) == (30, 20, 10)
    assert sizes(drawn(data, 6, **spec)) == (10, 20, 10)
    with pytest.raises(ValueError, match="room for 7 of the repetitions"):
        drawn(data, 9, **spec)


@given(dates, st.integers(2, 4), st.integers(0, 5))
def test_tunings_folds_are_in_the_order_of_time(moments, folds, seed):
    moments = np.array(moments)
    assume(len(set(moments.tolist())) > folds)
    part = Part(np.zeros((len(moments), 1)), np.zeros(len(moments)), np.zeros((len(moments), 1)), None, moments)
    held = held_parts(SimpleNamespace(train=part), folds, True, seed)
    assert len(held) == folds
    assert all(train.moments.max() < held_out.moments.min() for train, held_out, _ in held)
    assert np.array_equal(np.sort(held[-1][0].moments), np.sort(moments)[: len(held[-1][0].y)])


def test_a_part_that_the_data_names():
    part = ["train"] * 8 + ["test"] * 4
    data = table(np.tile([0, 1], 6), part=part, patient=np.arange(12) // 2)
    given_test = {"column": "part", "value": "test"}
    parts = drawn(data, test=given_test)
    assert sorted(parts.test.tolist()) == [8, 9, 10, 11]
    assert sorted(parts.train.tolist()) == list(range(8))
    parts = drawn(data, test=given_test, validation=0.25, groups="patient")
    assert sizes(parts) == (6, 2, 4)
    assert are_apart(data.columns["patient"], parts.train, parts.validation)
    draws = [frozenset(drawn(data, seed=seed, test=given_test, train=0.5).train.tolist()) for seed in range(5)]
    assert len(set(draws)) > 1
    assert all(len(rows) == 4 for rows in draws)
