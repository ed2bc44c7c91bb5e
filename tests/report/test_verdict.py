"""Claims hold, fail, or have not been run."""

import pytest

from benchkit.report.verdict import judge
from benchkit.suite.schema import Expectation

CLAIM = Expectation.model_construct(claim="c", source="s").model_dump()


def rows(values):
    """Records of two repetitions; values by algorithm and budget."""
    return [
        {
            "status": "ok",
            "dataset": "d",
            "dataset_params": {},
            "group": None,
            "axis": "budget",
            "adversary": "a",
            "algorithm": algorithm,
            "axis_value": budget,
            "repetition": repetition,
            "metrics": {"error": value + 0.01 * repetition},
        }
        for (algorithm, budget), value in values.items()
        for repetition in (0, 1)
    ]


RECORDS = rows({("lp", 0.0): 0.10, ("svm", 0.0): 0.08, ("lp", 2.0): 0.2, ("svm", 2.0): 0.4})


@pytest.mark.parametrize(
    ("claim", "outcome", "evidence"),
    [
        ({"order": ["lp", "svm"]}, "not reproduced", "lp - svm = +0.0200"),
        ({"order": ["lp", "svm"], "at": [2]}, "reproduced", "lp - svm = -0.2000"),
        ({"order": ["lp", "svm"], "tolerance": 0.05}, "reproduced", "+0.0200"),
        ({"order": ["lp", "svm"], "datasets": ["other"]}, "not run", "no trial that it speaks of has ended ok"),
        ({"order": ["lp", "fdrop"]}, "not run", "no trial that it speaks of has ended ok"),
        ({"order": ["lp", "svm"], "at": [2], "by": 0.19}, "reproduced", "lp - svm = -0.2000"),
        ({"order": ["lp", "svm"], "at": [2], "by": 0.21}, "not reproduced", "lp - svm = -0.2000"),
        ({"alike": ["svm", "lp"], "tolerance": 0.02, "at": [0]}, "reproduced", "svm - lp = -0.0200"),
        ({"alike": ["svm", "lp"], "tolerance": 0.1}, "not reproduced", "svm - lp = +0.2000"),
        ({"algorithm": "lp", "trend": "rising"}, "reproduced", "lp at 2.0 - at 0.0 = +0.1000"),
        ({"algorithm": "lp", "trend": "falling"}, "not reproduced", "+0.1000"),
        ({"algorithm": "lp", "trend": "falling", "tolerance": 0.1}, "reproduced", "+0.1000"),
        ({"algorithm": "lp", "trend": "level", "tolerance": 0.05}, "not reproduced", "+0.1000"),
        ({"algorithm": "svm", "between": [0.3, 0.5], "at": [2]}, "reproduced", "svm = 0.4050"),
        ({"algorithm": "svm", "between": [0.3, 0.4], "at": [2]}, "not reproduced", "svm = 0.4050"),
    ],
)
def test_outcomes(claim, outcome, evidence):
    verdict = judge({**CLAIM, **claim}, RECORDS, "error", greater_is_better=False)
    assert verdict.outcome == outcome
    assert evidence in verdict.evidence


def test_where_more_is_better_the_order_turns():
    claim = {**CLAIM, "order": ["svm", "lp"], "at": [2]}
    assert judge(claim, RECORDS, "error", greater_is_better=True).outcome == "reproduced"


def test_what_the_paper_says_and_the_likely_reason_come_along():
    claim = {**CLAIM, "order": ["svm", "lp"], "paper": "0.22", "explanation": "chance"}
    verdict = judge(claim, RECORDS, "error", greater_is_better=False)
    assert (verdict.outcome, verdict.paper, verdict.explanation) == ("not reproduced", "0.22", "chance")


def test_a_power_of_the_axis():
    records = rows({("lp", float(n)): 3.0 * n**2 for n in (10, 20, 40)})
    claim = {**CLAIM, "algorithm": "lp", "exponent": [1.9, 2.1]}
    assert judge(claim, records, "error", False).outcome == "reproduced"
    assert "power 2.00" in judge(claim, records, "error", False).evidence
    assert judge({**claim, "exponent": [0.9, 1.1]}, records, "error", False).outcome == "not reproduced"


def test_along_an_axis_of_the_dataset_its_values_are_one_curve():
    records = [
        {**row, "axis": "dataset.n", "dataset_params": {"n": row["axis_value"], "margin": 1}}
        for row in rows({("lp", 10.0): 0.3, ("lp", 20.0): 0.1})
    ]
    verdict = judge({**CLAIM, "algorithm": "lp", "trend": "falling"}, records, "error", False)
    assert verdict.outcome == "reproduced"
    assert "d margin=1 a" in verdict.evidence


def test_who_lasts_longer():
    errors = {"lp": [0.1, 0.1, 0.3], "svm": [0.1, 0.3, 0.3]}
    records = rows({(name, float(k)): value for name, each in errors.items() for k, value in enumerate(each)})
    claim = {**CLAIM, "order": ["lp", "svm"], "breakdown": 0.2}
    held = judge(claim, records, "error", False)
    assert held.outcome == "reproduced"
    assert "lp - svm = +1.0000" in held.evidence
    assert "0.2 is passed at lp 2, svm 1" in held.evidence
    assert judge({**claim, "by": 2}, records, "error", False).outcome == "not reproduced"
    # Neither breaks down: both last to the end, and neither longer.
    assert "+0.0000" in judge({**claim, "breakdown": 0.5}, records, "error", False).evidence


def test_a_group_is_judged_by_its_mean():
    records = [
        {
            **row,
            "dataset": name,
            "group": "g",
            "metrics": {"error": row["metrics"]["error"] + (row["algorithm"] == bad)},
        }
        for name, bad in (("one", "lp"), ("two", "svm"))
        for row in rows({("lp", 0.0): 0.1, ("svm", 0.0): 0.2})
    ]
    claim = {**CLAIM, "order": ["lp", "svm"], "groups": ["g"]}
    verdict = judge(claim, records, "error", False)
    assert verdict.outcome == "reproduced"
    assert "lp - svm = -0.1000" in verdict.evidence
    assert "at g a 0" in verdict.evidence
    assert judge({**CLAIM, "order": ["lp", "svm"]}, records, "error", False).outcome == "not reproduced"
    # A dataset that one algorithm lacks counts for neither.
    lacking = [row for row in records if (row["dataset"], row["algorithm"]) != ("two", "svm")]
    assert "+0.9000" in judge(claim, lacking, "error", False).evidence


@pytest.mark.parametrize(
    ("claim", "outcome", "shortfall"),
    [
        ({"algorithm": "svm", "value": 0.4, "at": [2], "tolerance": 0.01}, "reproduced", None),
        ({"algorithm": "svm", "value": 0.3, "at": [2], "tolerance": 0.01}, "not reproduced", 0.095),
        ({"algorithm": "lp", "trend": "rising"}, "reproduced", None),
        ({"algorithm": "lp", "trend": "falling"}, "not reproduced", 0.1),
        ({"algorithm": "lp", "trend": "falling", "tolerance": 0.1}, "reproduced", None),
        ({"algorithm": "lp", "trend": "falling", "at": [2]}, "not run", None),
        ({"algorithm": "fdrop", "value": 0.3}, "not run", None),
    ],
)
def test_values_and_curves(claim, outcome, shortfall):
    verdict = judge({**CLAIM, **claim}, RECORDS, "error", greater_is_better=False)
    assert verdict.outcome == outcome
    assert verdict.shortfall == (shortfall if shortfall is None else pytest.approx(shortfall))
    if shortfall is not None:
        assert f"missed by {shortfall:.4f}" in verdict.summary


def test_a_claim_on_a_group_is_on_its_mean():
    pairs = [
        {**row, "dataset_params": {"pair": pair}, "group": "g", "metrics": {"error": row["metrics"]["error"] + shift}}
        for row in RECORDS
        for pair, shift in ((1, 0.1), (2, -0.1))
    ]
    claim = {**CLAIM, "algorithm": "lp", "value": 0.105, "at": [0], "tolerance": 1e-9}
    assert judge({**claim, "groups": ["g"]}, pairs, "error", greater_is_better=False).outcome == "reproduced"
    assert judge({**claim, "datasets": ["d"]}, pairs, "error", greater_is_better=False).outcome == "not reproduced"


def test_what_the_noise_leaves_open_is_said():
    noisy = rows({("lp", 0.0): 0.1})
    claim = {**CLAIM, "algorithm": "lp", "value": 0.11, "tolerance": 0.01}
    verdict = judge(claim, noisy, "error", greater_is_better=False)
    assert (verdict.outcome, verdict.settled) == ("reproduced", False)
    assert "within the noise" in verdict.summary
    assert judge({**claim, "tolerance": 0.5}, noisy, "error", greater_is_better=False).settled
