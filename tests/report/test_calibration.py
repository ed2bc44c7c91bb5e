"""A small version of `bench-calibration`: how often the report is wrong of methods whose merit is known."""

import math
from pathlib import Path

import pytest

from tests.conftest import load_script

SUITES = Path(__file__).parents[2] / "suites"
POOLS = 150


@pytest.fixture(scope="module")
def calibrations():
    return load_script(SUITES / "calibrations.py")


def at_most(share):
    """A share of pools that is seen in one of a thousand such tests where the true one is as given."""
    return share + 3.1 * math.sqrt(share * (1 - share) / POOLS)


@pytest.mark.parametrize("case", ["exchangeable", "tied"])
@pytest.mark.parametrize(("split", "repetitions"), [("random", 20), ("k-fold", 3), ("fresh", 10)])
def test_equally_good_methods_seldom_get_a_star(calibrations, case, split, repetitions):
    shares = calibrations.calibrate(case, split, repetitions, POOLS, 7)
    assert shares["stars"] <= at_most(0.05)
    assert shares["interval-coverage"] >= 1 - at_most(0.05)
    assert shares["wrong-verdicts"] <= at_most(0.06)
    if (case, split, repetitions) == ("exchangeable", "random", 20):
        assert shares["plain-stars"] > 0.3  # what taking repetitions for independent would do


def test_a_difference_is_seen_and_never_called_equivalent(calibrations):
    shares = calibrations.calibrate("different", "random", 20, POOLS, 7)
    assert shares["stars"] > 0.25
    assert shares["interval-coverage"] >= 1 - at_most(0.05)
    assert shares["wrong-equivalence"] <= at_most(0.05)
