"""Small versions of bench-calibration and bench-stopping."""

from pathlib import Path

import numpy as np
import pytest

from benchkit import Results
from benchkit.suite.claims import Claim
from tests.conftest import at_most, load_script

SUITES = Path(__file__).parents[2] / "suites"
POOLS = 150


@pytest.fixture(scope="module")
def calibrations():
    return load_script(SUITES / "calibrations.py")


@pytest.mark.parametrize("case", ["exchangeable", "tied"])
@pytest.mark.parametrize(("split", "repetitions"), [("random", 20), ("k-fold", 3), ("fresh", 10)])
def test_equally_good_methods_seldom_get_a_star(calibrations, case, split, repetitions):
    shares = calibrations.calibrate(case, split, repetitions, POOLS, 7)
    assert shares["stars"] <= at_most(0.05, POOLS)
    assert shares["interval-coverage"] >= 1 - at_most(0.05, POOLS)
    assert shares["wrong-verdicts"] <= at_most(0.06, POOLS)
    if (case, split, repetitions) == ("exchangeable", "random", 20):
        assert shares["plain-stars"] > 0.3  # what taking repetitions for independent would do


def test_a_difference_is_seen_and_never_called_equivalent(calibrations):
    shares = calibrations.calibrate("different", "random", 20, POOLS, 7)
    assert shares["stars"] > 0.25
    assert shares["interval-coverage"] >= 1 - at_most(0.05, POOLS)
    assert shares["wrong-equivalence"] <= at_most(0.05, POOLS)


RUNS = 400


@pytest.fixture(scope="module")
def stoppings():
    return load_script(SUITES / "stoppings.py")


@pytest.mark.parametrize("kind", ["normal", "tied", "skewed", "bounded", "rare", "unseen", "heavy"])
def test_stopping_seldom_decides_wrongly(stoppings, kind):
    limit = at_most(0.05, RUNS)
    for difference in (0, 1, 2):
        assert stoppings.simulate(kind, difference, RUNS, 5)["wrong"] <= limit
    assert stoppings.simulate(kind, 1, RUNS, 5)["plain-wrong"] > 0.2  # what plain t intervals would do


def verdict(values, margin):
    known = {"status": "ok", "dataset": "run", "dataset_params": {}, "group": None, "adversary": "none", "params": {}}
    known |= {"adversary_params": {}, "axis": "budget", "axis_value": None, "budget": None}
    known |= {"n_rows": 400, "n_test": 100, "folds": None, "generated": False}
    records = [
        {**known, "cell": name, "algorithm": name, "repetition": repetition, "metrics": {"score": float(value)}}
        for name, row in zip("ab", values, strict=True)
        for repetition, value in enumerate(row)
    ]
    claim = Claim.model_validate({"claim": "alike", "alike": ["b", "a"], "tolerance": margin})
    told = {"metrics": ["score"], "greater_is_better": {"score": False}, "expectations": [claim]}
    (judged,) = Results(
        suite="x", title="", folder=Path("runs/x/1"), rows=records, until_decided=True, **told
    ).verdicts()
    return judged.outcome


@pytest.mark.parametrize(
    ("kind", "difference"), [("normal", 2), ("tied", 0), ("skewed", 1), ("unseen", 0), ("unseen", 1)]
)
def test_the_simulation_decides_as_verdicts_do(stoppings, kind, difference):
    draw, unit = stoppings.KINDS[kind]
    margin = 0.0 if kind in stoppings.WITHOUT_MARGIN else unit
    a, b = draw(np.random.default_rng(1), (5, stoppings.MOST), difference * unit)
    within, beyond, ends = stoppings.decisions(kind, b - a, margin)
    for run in range(5):
        expected = "supported" if within[run] else "contradicted" if beyond[run] else "undecided"
        assert verdict(np.array([a[run], b[run]])[:, : ends[run]], margin) == expected
        earlier = stoppings.rounds()[stoppings.rounds().index(ends[run]) - 1]
        assert verdict(np.array([a[run], b[run]])[:, :earlier], margin) == "undecided"
