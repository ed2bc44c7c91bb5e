"""The rules that benchkit has for such things, and what the split promises."""

import numpy as np
from benchkit_clinic.later_rows import later_rows

from benchkit import SplitContext
from benchkit.testing import parametrize_with_rules


@parametrize_with_rules("clinic")
def test_rules(check):
    check()


def test_what_is_tested_came_later():
    for seed in range(20):
        rows = {"X": np.zeros((100, 2)), "y": np.zeros(100), "train": 0.6, "test": 0.2}
        context = SplitContext(**rows, repetition=seed, random_state=seed, classify=False)
        train, _, test = later_rows(gap=5)(context)
        assert train.max() + 5 < test.min()
