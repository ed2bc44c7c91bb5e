"""The split that anybody draws again."""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from benchkit import SplitContext
from benchkit_tabfs.splits.given_seed import GivenSeed


def context(**changes):
    given = {"X": np.zeros((50, 1)), "y": np.arange(50) % 2, "repetition": 0, "random_state": 9, "classify": True}
    return SplitContext(**{**given, **changes})


def test_it_is_scikit_learns_with_the_given_seed():
    train, validation, test = GivenSeed()(context())
    expected_train, expected_test = train_test_split(np.arange(50), test_size=0.2, random_state=42)
    assert np.array_equal(train, expected_train)
    assert np.array_equal(test, expected_test)
    assert len(validation) == 0


def test_repetitions_have_the_seeds_after_it_and_the_run_has_no_say():
    train, validation, test = GivenSeed(seed=7)(context(repetition=3, random_state=1, validation=0.25, test=10))
    again = GivenSeed(seed=10)(context(repetition=0, random_state=2, validation=0.25, test=10))
    assert all(np.array_equal(one, other) for one, other in zip((train, validation, test), again, strict=True))
    assert (len(train), len(validation), len(test)) == (30, 10, 10)
    assert sorted([*train, *validation, *test]) == list(range(50))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "42"])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(ValueError, match="expected a whole number from 0"):
        GivenSeed(seed)
