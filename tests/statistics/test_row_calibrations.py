"""A small version of `bench-calibration-rows`: intervals from rows, on pools whose truth is known, and its methods."""

import math
from pathlib import Path

import numpy as np
import pytest

from benchkit.plugin.manager import load_file

SUITES = Path(__file__).parents[2] / "suites"
POOLS = 60


@pytest.fixture(scope="module")
def calibrations():
    # By the name that runs give it: what numba keeps beside the file is loaded under that name alone.
    return load_file(SUITES / "row_calibrations.py")


def at_most(share):
    """A share of pools that is seen in one of a thousand such tests where the true one is as given."""
    return share + 3.1 * math.sqrt(share * (1 - share) / POOLS)


@pytest.mark.parametrize("case", ["neighbours-equal", "squared-equal", "ties-equal"])
def test_equally_good_methods_seldom_get_a_star_and_intervals_have_a_width(calibrations, case):
    for splits in (3, 10, 50):
        shares = calibrations.calibrate(case, 100, splits, POOLS, 7)
        assert shares["truth"] == 0
        assert shares["missed-rows"] == shares["stars-rows"] <= at_most(0.06)
        assert 0 < shares["width"] < 1.3


def test_groups_are_judged_as_groups_and_stay_on_one_side(calibrations):
    alone, of_ten = (calibrations.calibrate(name, 100, 3, 5, 7) for name in ("linear-equal", "groups-linear-equal"))
    assert 0 <= of_ten["missed-rows"] <= 1
    assert of_ten["width"] > alone["width"]
    for train, test in calibrations.splits_of(
        calibrations.CASES["groups-linear-equal"], 300, np.random.default_rng(0), 20
    ):
        assert not set(train // 10) & set(test // 10)
        assert len(train) == 150
