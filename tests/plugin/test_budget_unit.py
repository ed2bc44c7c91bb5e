"""A unit of budgets knows its limits, its words and its checks."""

from typing import get_args

import numpy as np
import pytest

from benchkit.plugin.declarations.adversary import UNITS, Changes, Counted


def test_declarations_can_name_each_of_them():
    assert list(UNITS) == [*get_args(Counted), "none"]


@pytest.mark.parametrize(
    ("unit", "budget", "wrong"),
    [
        ("value", 1e9, None),
        ("features", 2.0, None),
        ("features", 0.5, "counts features: give whole numbers"),
        ("fraction", 1.0, None),
        ("fraction", 1.5, "is a fraction: at most 1"),
        ("sd", 7.5, None),
        ("none", 0.5, None),
    ],
)
def test_what_is_wrong_whatever_the_data(unit, budget, wrong):
    assert UNITS[unit].check(budget) == wrong


@pytest.mark.parametrize(
    ("unit", "total", "budget", "too_much"),
    [
        ("value", 9.5, 9.5, None),
        ("value", 9.5, 10, "budget 10 exceeds 9.5, the total value of the features"),
        ("value", None, 4, "budget 4 exceeds 3, the number of features"),
        ("features", 9.5, 4, "budget 4 exceeds 3, the number of features"),
        ("sd", 9.5, 1e9, None),
        ("none", None, 1e9, None),
    ],
)
def test_more_than_the_data_has_to_spend(unit, total, budget, too_much):
    assert UNITS[unit].exceeds(budget, total, 3, rounding=1e-9) == too_much


def test_a_unit_without_a_limit_takes_no_shares():
    assert [name for name, unit in UNITS.items() if not unit.takes_shares] == ["sd", "none"]


ENTRIES = np.array([[True, False, True], [False, False, False]])
MOVED = np.array([[0.5, 0.0, 2.0], [0.0, 0.0, 0.0]])


@pytest.mark.parametrize(("unit", "cost"), [("value", 5.0), ("features", 2.0), ("fraction", 0.5)])
def test_what_a_corruption_cost(unit, cost):
    changes = Changes(ENTRIES, np.array([True, False]), np.array([1.0, 2.0, 4.0]), MOVED)
    assert UNITS[unit].spent(changes) == cost


def test_noise_costs_the_root_mean_square_of_the_column_that_moved_most():
    changes = Changes(ENTRIES, np.zeros(2, dtype=bool), np.ones(3), MOVED)
    assert UNITS["sd"].spent(changes) == pytest.approx(2 / 2**0.5)
    told = Changes(ENTRIES, np.array([True, False]), np.ones(3), MOVED)
    assert UNITS["sd"].spent(told) == np.inf


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
def test_noise_within_a_norm_of_each_row_does_not_overspend(norm):
    moved = np.random.default_rng(0).normal(size=(50, 4))
    moved /= np.linalg.norm(moved, ord=norm, axis=1, keepdims=True)
    changes = Changes(moved != 0, np.zeros(50, dtype=bool), np.ones(4), np.abs(moved))
    assert UNITS["sd"].spent(changes) <= 1


def test_a_fraction_of_rows_may_be_a_row_begun():
    assert UNITS["fraction"].allowed(0.25, 10, rounding=1e-9) == 0.3
    assert UNITS["value"].allowed(0.25, 10, rounding=1e-9) == 0.25
