"""A small version of `bench-stopping`, and that it decides as verdicts do."""

import math
from pathlib import Path

import numpy as np
import pytest

from benchkit import Results
from benchkit.suite.claims import Claim
from tests.conftest import load_script

SUITES = Path(__file__).parents[2] / "suites"
RUNS = 400


@pytest.fixture(scope="module")
def stoppings():
    return load_script(SUITES / "stoppings.py")


@pytest.mark.parametrize("kind", ["normal", "tied", "skewed", "bounded", "rare", "unseen", "heavy"])
def test_stopping_seldom_decides_wrongly(stoppings, kind):
    at_most = 0.05 + 3.1 * math.sqrt(0.05 * 0.95 / RUNS)
    for difference in (0, 1, 2):
        assert stoppings.simulate(kind, difference, RUNS, 5)["wrong"] <= at_most
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
