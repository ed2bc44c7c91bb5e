"""A small version of `bench-judge`: how often tables are judged wrongly."""

import importlib.util
import math
from pathlib import Path

import pytest

SUITES = Path(__file__).parents[3] / "suites"
POOLS = 60


@pytest.fixture(scope="module")
def judgings():
    spec = importlib.util.spec_from_file_location("judgings", SUITES / "judgings.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def at_most(share):
    """A share of pools that is seen in one of a thousand such tests where the true one is as given."""
    return share + 3.1 * math.sqrt(share * (1 - share) / POOLS)


@pytest.mark.parametrize(
    ("case", "methods", "units"),
    [
        ("normal", 5, 12),
        pytest.param("missing", 5, 40, marks=pytest.mark.whole),
        ("tied", 8, 8),
        pytest.param("seeds", 4, 20, marks=pytest.mark.whole),
    ],
)
def test_tables_are_seldom_judged_wrongly(judgings, case, methods, units):
    shares = judgings.calibrate(case, methods, units, POOLS, 1)
    assert shares["wrong-separations"] <= at_most(0.05)
    assert shares["ranks-covered"] >= 1 - at_most(0.05)


def test_what_differs_is_told_apart_and_ranks_are_covered(judgings):
    shares = judgings.calibrate("groups", 6, 60, POOLS, 1)
    assert shares["separated"] > 0.5
    assert shares["wrong-separations"] <= at_most(0.05)
    assert shares["ranks-covered"] >= 1 - at_most(0.05)
    assert shares["intervals-cover"] >= 1 - at_most(0.05)


def test_forgetting_that_pairs_are_many_would_be_wrong(judgings):
    """The test can fail: one pair at a time, one table in four or more has a false difference."""
    import numpy as np
    from scipy import stats

    rng, wrong = np.random.default_rng(1), []
    for _ in range(POOLS):
        scores, _ = judgings.draw_scores(rng, "normal", 8, 12)
        first, second = np.triu_indices(8, 1)
        wrong.append((stats.ttest_rel(scores[:, first], scores[:, second]).pvalue < 0.05).any())
    assert np.mean(wrong) > 0.25
