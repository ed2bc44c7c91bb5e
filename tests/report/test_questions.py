"""What is open of a suite's questions; small versions of bench-calibration and bench-stopping."""

from pathlib import Path

import numpy as np
import pytest

from benchkit import Results
from benchkit.report.questions import questions_of
from benchkit.suite.claims import Claim
from tests.conftest import at_most, load_script

SUITES = Path(__file__).parents[2] / "suites"
POOLS = 150


def rows(label, values):
    known = {"status": "ok", "dataset": "d", "dataset_params": {}, "group": None, "adversary": "none", "params": {}}
    known |= {"adversary_params": {}, "axis": "budget", "axis_value": None, "budget": None, "cpu_seconds": 2.0}
    known |= {"n_rows": 400, "n_test": 100, "folds": None, "generated": False}
    return [
        {**known, "cell": label, "algorithm": label, "repetition": repetition, "metrics": {"score": float(value)}}
        for repetition, value in enumerate(values)
    ]


def results(*curves, **asked):
    records = [row for curve in curves for row in curve]
    told = {"metrics": ["score"], "greater_is_better": {"score": False}, "until_decided": True, **asked}
    return Results(suite="x", title="", folder=Path("runs/x/1"), rows=records, **told)


def noise(seed, n=30, sd=1.0, mean=0.0):
    return np.random.default_rng(seed).normal(mean, sd, n)


def failed(label, n=5):
    return [row | {"status": "failed", "metrics": {}} for row in rows(label, [0] * n)]


@pytest.mark.parametrize("curves", [(failed("a"), failed("b")), (rows("a", noise(0, 8)), failed("b"))])
def test_a_place_with_fewer_than_two_methods_that_have_values_is_not_decided_and_says_so(curves):
    (question,) = questions_of(results(*curves))
    assert (question.decided, question.open) == (False, False)
    assert question.answer.startswith("nothing to compare: no value of ")
    assert question.answer.endswith("b")


def test_a_method_that_is_worse_is_out_the_best_is_open_and_one_that_was_never_compared_is_named():
    base = noise(2)
    curves = rows("a", base), rows("b", base + noise(3, sd=0.2)), rows("c", base[:12] + 9 + noise(4, 12))
    (question,) = questions_of(results(*curves, margin=0.01))
    assert question.open
    assert question.answer.startswith(("a (", "b ("))
    assert "c" not in question.answer.partition("score")[2]
    base = noise(6, 30)
    late = [row | {"repetition": row["repetition"] + 30} for row in rows("late", base)]
    (question,) = questions_of(results(rows("a", base), rows("bad", base + 9), late))
    assert (question.decided, question.open) == (False, True)  # further repetitions may be shared
    assert "never compared: " in question.answer
    (question,) = questions_of(results(rows("a", base), rows("bad", base + 9), failed("dead")))
    assert (question.decided, question.open) == (False, False)
    assert question.answer.endswith("never compared: dead)")


def test_exact_ties_of_error_rates_seldom_hide_a_fifth_of_a_row_in_a_hundred():
    rng = np.random.default_rng(22)
    wrong = {5: 0, 22: 0}
    for _ in range(300):
        rates = rng.binomial(100, 0.002, 22) / 100
        for looked_at in wrong:
            (question,) = questions_of(results(rows("a", 0 * rates[:looked_at]), rows("b", rates[:looked_at])))
            wrong[looked_at] += question.decided and "as good" in question.answer
    assert wrong[5] == 0  # a third of them tie so far
    assert wrong[22] <= 0.05 * 300


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
    claim = Claim.model_validate({"claim": "alike", "alike": ["b", "a"], "tolerance": margin})
    (judged,) = results(*map(rows, "ab", values), expectations=[claim]).verdicts()
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
