"""What declarations are made of: columns and features of data, units of budgets, and checks of what is declared."""

import math
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import benchkit
from benchkit import Categories, Features, check_choice, check_count, check_not_negative, check_positive
from benchkit.plugin.declarations import Algorithm, Dataset, DeclarationError, Deferred, Metric
from benchkit.plugin.declarations.adversary import UNITS


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Algorithm(name="x", make=3),
        lambda: Algorithm(name="x", make="no.attribute"),
        lambda: Algorithm(name="My Name", make="a:B"),
        lambda: Algorithm(name="x", make="a:B", tasks="classification"),
        lambda: Dataset(name="x", load="a:b", task="clustering"),
        lambda: Metric(name="", compute="a:b"),
        lambda: benchkit.Adversary(name="x", make="a:B", phase="night"),
        lambda: benchkit.Adversary(name="x", make="a:B", requires="magic"),
        lambda: benchkit.Command(name="run", run="a:b"),  # benchkit's own
        lambda: benchkit.ExecutorOption(name="Big-Name"),
        lambda: benchkit.ExecutorOption(name="memory"),  # which benchkit itself gives
        lambda: benchkit.ExecutorOption(name="hours", type=list),
        lambda: benchkit.ExecutorOption(name="hours", type=int, default="3"),
    ],
)
def test_nonsense_is_refused_where_it_is_declared(declare):
    with pytest.raises(DeclarationError):
        declare()


def test_deferred_joins_defaults_and_arguments():
    assert Deferred("builtins:dict", {"a": 1, "b": 2})(b=3) == {"a": 1, "b": 3}


@given(st.lists(st.none() | st.text(max_size=3), max_size=40))
def test_texts_come_back(texts):
    column = Categories.of(texts)
    assert column.values.tolist() == texts
    assert list(column.names) == sorted(set(texts) - {None})
    assert column.take(np.arange(len(texts))[::-1]).values.tolist() == texts[::-1]
    assert column.codes.dtype == np.int8


def test_features_are_in_the_order_of_their_first_columns_and_groups_may_not_overlap():
    features = Features(6, [[4, 1], [5, 2]])
    assert features.of_column.tolist() == [0, 1, 2, 3, 1, 2]
    sums = features.sum(np.arange(12.0).reshape(2, 6))
    assert sums.tolist() == [[0, 5, 7, 3], [6, 17, 19, 9]]
    assert features.spread(np.array([True, False, True, False])).tolist() == [True, False, True, False, False, True]
    np.testing.assert_allclose(features.sum(features.share(sums)), sums)
    columns, plain = np.arange(3.0), Features(3)
    assert plain.sum(columns) is plain.spread(columns) is plain.share(columns) is columns
    for make in (np.array, sparse.csr_matrix):
        assert Features(3, [[0, 1]]).one_hot(make([[1.0, 0, 5], [0, 2, 0], [0, 0, 1]]))
        assert not Features(3, [[0, 1]]).one_hot(make([[1.0, 1, 0]]))
    for groups in ([[0, 1], [1, 2]], [[0, 0]], [[2, 3]]):
        with pytest.raises(ValueError, match="two groups|columns are 0 to 2"):
            Features(3, groups)


@pytest.mark.parametrize(
    ("unit", "total", "budget", "wrong", "too_much"),
    [
        ("value", 9.5, 9.5, None, None),
        ("value", 9.5, 10, None, "9.5, the total value"),
        ("value", None, 4, None, "3, the number of features"),
        ("features", 9.5, 2.0, None, None),
        ("features", 9.5, 0.5, "whole numbers", None),
        ("features", 9.5, 4, None, "3, the number of features"),
        ("fraction", 9.5, 1.0, None, None),
        ("fraction", 9.5, 1.5, "at most 1", "1, the most possible"),
        ("sd", 9.5, 1e9, None, None),
        ("none", None, 0.5, None, None),
    ],
)
def test_budgets_that_cannot_be(unit, total, budget, wrong, too_much):
    for said, expected in ((UNITS[unit].check(budget), wrong), (UNITS[unit].exceeds(budget, total, 3, 1e-9), too_much)):
        assert said is None if expected is None else expected in said


def test_shares_of_what_there_is():
    for unit, share, amount in (("value", 0.2, 1.9), ("features", 0.5, 2), ("fraction", 0.1, 0.1)):
        assert UNITS[unit].amount(share, 9.5, 3) == pytest.approx(amount)  # 1.5 features are two


@pytest.mark.parametrize(("value", "allowed"), [("c", ("a", "b")), (1, (False, True)), (True, (0, 1))])
def test_what_is_no_choice(value, allowed):
    with pytest.raises(ValueError, match="^n is "):
        check_choice(allowed, m=allowed[0], n=value)


def test_numbers_within_limits():
    check_count(0, most=7, n=np.int64(0), m=7)
    with pytest.raises(ValueError, match="^n is 8, there are only 7$"):
        check_count(most=7, n=8)


@pytest.mark.parametrize("value", [0, -1, 1.5, 2.0, True, np.True_, None, "3", 1j, [1.0], math.inf, math.nan])
@pytest.mark.parametrize(
    ("check", "allowed"), [(check_count, ()), (check_positive, (1.5, 2.0)), (check_not_negative, (0, 1.5, 2.0))]
)
def test_what_is_no_number(check, allowed, value):
    with nullcontext() if value in allowed else pytest.raises(ValueError, match="^n is "):
        check(m=1, n=value)
