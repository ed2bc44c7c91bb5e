"""What repetitions are a sample of: units, and how much they share."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.report.points import sampling_of
from benchkit.statistics import Measurement, combination
from benchkit.statistics.sampling import ROWS, Sampling, complete_repetitions, make_sample

RANDOM = Sampling(400, 100)


def values(*numbers, name="d"):
    return {(repetition, name): number for repetition, number in enumerate(numbers)}


@pytest.mark.parametrize(
    ("drawn", "numbers", "scope", "units", "excess"),
    [
        (RANDOM, [0.1234, 0.2], "rows", [0.1234, 0.2], 1 / 3),
        (RANDOM, [0.1234, 0.2], "splits", [0.1234, 0.2], 0.0),
        (Sampling(400, 100, fresh=True), [0.1, 0.2], "rows", [0.1, 0.2], 0.0),
        (Sampling(), [0.1, 0.2], "rows", [0.1, 0.2], math.inf),
        (Sampling(100, 100), [0.1, 0.2], "rows", [0.1, 0.2], math.inf),
        (Sampling(100, 100), [0.1, 0.2], "splits", [0.1, 0.2], 0.0),
        # Bouckaert & Frank 2004: n_test / n_train = 1 / (k - 1); on these rows shuffles are drawn.
        (Sampling(400, 200, folds=2), [0.1, 0.2, 0.3, 0.5], "rows", [0.1, 0.2, 0.3, 0.5], 1.0),
        (Sampling(400, 200, folds=2), [0.1, 0.2, 0.3, 0.5], "splits", [0.15, 0.4], 0.0),
        (Sampling(400, 200, folds=2, fresh=True), [0.1, 0.2, 0.3, 0.5], "rows", [0.15, 0.4], 0.0),
        (Sampling(400, 200, folds=2, fresh=True), [0.1, 0.2], "rows", [0.1, 0.2], 1.0),  # folds of one draw share it
    ],
)
def test_units_and_what_they_share(drawn, numbers, scope, units, excess):
    sample = make_sample(values(*numbers), {"d": drawn}, scope)
    assert list(sample.values) == pytest.approx(units)
    assert sample.excess == pytest.approx(excess)
    assert sample.per_repetition == (drawn.folds if drawn.folds and len(units) == len(numbers) else 1)


def test_groups_are_averaged_and_the_most_shared_counts():
    both = values(0.1, 0.3, name="x") | values(0.5, 0.5, name="y")
    sample = make_sample(both, {"x": Sampling(1000, 100), "y": Sampling(400, 200)}, "rows")
    assert list(sample.values) == pytest.approx([0.3, 0.4])
    assert sample.excess == 1.0


def test_rates_over_rows_are_told_from_other_numbers():
    assert make_sample(values(0.01, 0.02), {"d": RANDOM}, "splits").row_variance == pytest.approx(4 / 200**2)
    distinct = 400 * (1 - 0.75**2)
    assert make_sample(values(0.01, 0.02), {"d": RANDOM}, "rows").row_variance == pytest.approx(4 / distinct**2)
    assert make_sample(values(0.015, 0.02), {"d": RANDOM}, "splits").row_variance == 0


def test_rates_are_told_where_test_parts_have_several_sizes():
    """As where whole patients are drawn: 126 to 131 rows are tested."""
    sizes = [131, 126, 129]
    records = [{"n_rows": 400, "n_test": n, "folds": None, "generated": False} for n in sizes]
    parts = {(at, "d"): 30 / n for at, n in enumerate(sizes)}
    assert make_sample(parts, {"d": sampling_of(records)}, "splits").row_variance == pytest.approx(4 / 393**2)
    assert make_sample(parts, {"d": sampling_of(records[:1])}, "splits").row_variance == 0


def test_a_mean_over_an_axis_is_no_rate():
    flat = [Measurement({(at, "d"): 0.25 for at in range(3)}, {"d": RANDOM}) for _ in range(2)]
    assert combination([(1.0, flat[0])], "splits").stderr > 0
    assert combination([(0.5, each) for each in flat], "splits").stderr == 0


def test_records_tell():
    row = {"n_rows": 2000, "n_test": 300, "folds": None, "generated": False}
    units = {"column": "patient", "groups": 100}
    assert sampling_of([{"n_rows": None}, row | {"generated": True}]) == Sampling(2000, 300, None, True)
    assert sampling_of([{}]) == Sampling()
    assert sampling_of([row | {"units": units, "split": "given"}]) == Sampling(2000, 300, n_groups=100, given=True)
    assert sampling_of([row | {"units": "rows", "split": "random"}]) == sampling_of([row]) == Sampling(2000, 300)
    assert Sampling(2000, 300, n_groups=100).distinct_rows(1, ROWS, groups=True) == pytest.approx(15)
    assert Sampling(2000, 300, given=True).distinct_rows(8, ROWS) == 300


def test_no_data_set_is_left_out_however_few_repetitions_it_has():
    often = {(at, name): value for at in range(9) for name, value in (("a", 0.1), ("b", 0.2))} | {(4, "c"): 0.9}
    assert complete_repetitions(often) == {(4, "a"): 0.1, (4, "b"): 0.2, (4, "c"): 0.9}
    assert complete_repetitions(often, {"a", "b"}) == {part: value for part, value in often.items() if part[1] != "c"}
    assert complete_repetitions(often, {"a", "b", "c", "d"}) == complete_repetitions({}) == {}
    assert list(make_sample(often, {}, "splits").values) == [pytest.approx(0.4)]


@given(st.dictionaries(st.tuples(st.integers(0, 4), st.sampled_from("abcd")), st.floats(0, 1), min_size=1))
def test_kept_are_the_repetitions_that_lack_nothing(values):
    kept = complete_repetitions(values)
    assert kept.items() <= values.items()
    names = {name for _, name in values}
    for repetition in range(5):
        held = {name for at, name in values if at == repetition}
        assert {name for at, name in kept if at == repetition} == (held if held == names else set())
