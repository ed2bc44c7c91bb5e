"""A small version of `bench-judge`: how often tables are judged wrongly."""

import math
from pathlib import Path

import numpy as np
import pytest

from benchkit.statistics.all_pairs import all_pairs
from tests.conftest import load_script

SUITES = Path(__file__).parents[3] / "suites"
POOLS = 60


@pytest.fixture(scope="module")
def judgings():
    return load_script(SUITES / "judgings.py")


def at_most(share, pools=POOLS):
    """A share of pools that is seen in one of a thousand such tests where the true one is as given."""
    return share + 3.1 * math.sqrt(share * (1 - share) / pools)


@pytest.mark.parametrize(("case", "units"), [("normal", 12), ("tied", 8), ("missing", 40), ("clusters", 100)])
def test_tables_are_seldom_judged_wrongly(judgings, case, units):
    pools = POOLS if units <= 12 else 20
    shares = judgings.calibrate(case, 4, units, pools, 1)
    assert shares["wrong-separations"] <= at_most(0.05, pools)
    assert shares["ranks-covered"] >= 1 - at_most(0.05, pools)


def test_what_differs_is_told_apart_and_ranks_are_covered(judgings):
    shares = judgings.calibrate("groups", 6, 60, POOLS, 1)
    assert shares["separated"] > 0.5
    assert shares["wrong-separations"] <= at_most(0.05)
    assert shares["ranks-covered"] >= 1 - at_most(0.05)
    assert shares["intervals-cover"] >= 1 - at_most(0.05)


@pytest.mark.parametrize("units", [10, 20])
@pytest.mark.parametrize("kind", ["grades", "pass rates"])
def test_intervals_of_few_items_hold_all_at_once(kind, units):
    """Grades from one to five, most of them fives; and pass rates, many of which are nearly none or all."""
    from scipy.stats import norm

    rng, held = np.random.default_rng(units), 0
    merits, cuts = np.linspace(0, 0.8, 4), np.array([-2.6, -1.9, -1.1, 0.0])
    shares = np.linspace(0.5, 0.7, 4)
    truth = shares if kind == "pass rates" else norm.sf((cuts - merits[:, None]) / math.sqrt(2)).sum(axis=1)
    differences = truth[:, None] - truth
    for _ in range(POOLS):
        if kind == "grades":
            latent = rng.normal(size=(units, 1)) + rng.normal(size=(units, 4)) + merits
            scores = (latent[:, :, None] > cuts).sum(axis=-1).astype(float)
        else:
            scores = rng.beta(0.8 * shares, 0.8 * (1 - shares), size=(units, 4))
        result = all_pairs(scores / units)
        held += ((result.low <= differences + 1e-9) & (differences <= result.high + 1e-9)).all()
    assert held / POOLS >= 1 - at_most(0.05)


def test_forgetting_that_pairs_are_many_would_be_wrong(judgings):
    """The test can fail: one pair at a time, one table in four or more has a false difference."""
    from scipy import stats

    rng, wrong = np.random.default_rng(1), []
    for _ in range(POOLS):
        scores, _ = judgings.draw_scores(rng, "normal", 8, 12)
        first, second = np.triu_indices(8, 1)
        wrong.append((stats.ttest_rel(scores[:, first], scores[:, second]).pvalue < 0.05).any())
    assert np.mean(wrong) > 0.25
