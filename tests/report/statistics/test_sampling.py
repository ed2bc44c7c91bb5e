"""What repetitions are a sample of: units, and how much they share."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.report.statistics.sampling import Sampling, balanced, make_sample, sampling_of

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


def test_a_data_set_that_has_hardly_any_repetition_is_left_out_instead():
    often = several(a=dict.fromkeys(range(9), 0.1), b=dict.fromkeys(range(9), 0.2), c={4: 0.9})
    assert {name for _, name in balanced(often)} == {"a", "b"}
    assert len(balanced(often)) == 18


def test_what_is_complete_stays_as_it_is():
    whole = several(a={0: 0.1, 2: 0.3}, b={0: 0.2, 2: 0.4})
    assert balanced(whole) is whole
    assert balanced({}) == {}


@given(st.dictionaries(st.tuples(st.integers(0, 4), st.sampled_from("abcd")), st.floats(0, 1), min_size=1))
def test_kept_values_are_balanced_and_as_many_as_any_data_set_or_repetition_alone_has(values):
    kept = balanced(values)
    assert kept.items() <= values.items()
    repetitions, names = {repetition for repetition, _ in kept}, {name for _, name in kept}
    assert len(kept) == len(repetitions) * len(names)
    assert len(kept) >= max(sum(at == repetition for at, _ in values) for repetition, _ in values)
