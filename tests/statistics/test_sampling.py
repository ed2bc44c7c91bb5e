"""What repetitions are a sample of: units, and how much they share."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.report.points import sampling_of
from benchkit.statistics.sampling import Sampling, complete_repetitions, make_sample

RANDOM = Sampling(400, 100)


def values(*numbers, name="d"):
    return {(repetition, name): number for repetition, number in enumerate(numbers)}


def test_random_splits():
    sample = make_sample(values(0.1234, 0.2), {"d": RANDOM}, "rows")
    assert list(sample.values) == [0.1234, 0.2]
    assert (sample.excess, sample.row_variance) == (pytest.approx(1 / 3), 0.0)
    assert make_sample(values(0.1, 0.2), {"d": RANDOM}, "splits").excess == 0


def test_fresh_data_is_independent():
    assert make_sample(values(0.1, 0.2), {"d": Sampling(400, 100, fresh=True)}, "rows").excess == 0


@pytest.mark.parametrize("unknown", [Sampling(), Sampling(100, 100)])
def test_nothing_can_be_said_of_new_rows(unknown):
    assert math.isinf(make_sample(values(0.1, 0.2), {"d": unknown}, "rows").excess)
    assert make_sample(values(0.1, 0.2), {"d": unknown}, "splits").excess == 0


def test_folds_count_on_new_rows_and_shuffles_on_these():
    folded = {"d": Sampling(400, 200, folds=2)}
    rows = make_sample(values(0.1, 0.2, 0.3, 0.5), folded, "rows")
    # Bouckaert & Frank 2004: n_test / n_train = 1 / (k - 1).
    assert (list(rows.values), rows.excess, rows.per_repetition) == ([0.1, 0.2, 0.3, 0.5], 1.0, 2)
    these = make_sample(values(0.1, 0.2, 0.3, 0.5), folded, "splits")
    assert list(these.values) == pytest.approx([0.15, 0.4])
    assert (these.excess, these.per_repetition) == (0, 1)


def test_folds_of_fresh_data():
    fresh = {"d": Sampling(400, 200, folds=2, fresh=True)}
    several = make_sample(values(0.1, 0.2, 0.3, 0.5), fresh, "rows")
    assert list(several.values) == pytest.approx([0.15, 0.4])
    assert several.excess == 0
    # The folds of one draw share its rows.
    assert make_sample(values(0.1, 0.2), fresh, "rows").excess == 1.0


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


def test_records_tell():
    row = {"n_rows": 10, "n_test": 3, "folds": None, "generated": True}
    assert sampling_of([{"n_rows": None}, row]) == Sampling(10, 3, None, True)
    assert sampling_of([{}]) == Sampling()


def several(**by_name):
    return {(repetition, name): number for name, at in by_name.items() for repetition, number in at.items()}


def test_repetitions_that_lack_data_sets_do_not_count_as_change():
    # The easy data set ran three times more often, as in a run that was interrupted.
    easy, hard = dict.fromkeys(range(6), 0.1), dict.fromkeys(range(3), 0.5)
    sample = make_sample(several(easy=easy, hard=hard), {"easy": RANDOM, "hard": RANDOM}, "splits")
    assert list(sample.values) == [pytest.approx(0.3)] * 3


def test_no_data_set_is_left_out_however_few_repetitions_it_has():
    often = several(a=dict.fromkeys(range(9), 0.1), b=dict.fromkeys(range(9), 0.2), c={4: 0.9})
    assert complete_repetitions(often) == {(4, "a"): 0.1, (4, "b"): 0.2, (4, "c"): 0.9}
    assert complete_repetitions(often, {"a", "b"}) == {part: value for part, value in often.items() if part[1] != "c"}
    assert complete_repetitions(often, {"a", "b", "c", "d"}) == {}


def test_what_is_complete_stays_as_it_is():
    whole = several(a={0: 0.1, 2: 0.3}, b={0: 0.2, 2: 0.4})
    assert complete_repetitions(whole) is whole
    assert complete_repetitions({}) == {}


@given(st.dictionaries(st.tuples(st.integers(0, 4), st.sampled_from("abcd")), st.floats(0, 1), min_size=1))
def test_kept_are_the_repetitions_that_lack_nothing(values):
    kept = complete_repetitions(values)
    assert kept.items() <= values.items()
    names = {name for _, name in values}
    for repetition in range(5):
        held = {name for at, name in values if at == repetition}
        assert {name for at, name in kept if at == repetition} == (held if held == names else set())
