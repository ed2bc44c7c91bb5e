"""Claims hold, fail, or have not been run."""

import pytest

from benchkit.report.verdict import judge
from benchkit.suite.schema import Expectation

CLAIM = {name: field.default for name, field in Expectation.model_fields.items()}
CLAIM |= {"claim": "c", "source": "s"}


def rows(values):
    """Records of two repetitions; values by algorithm and budget."""
    return [
        {
            "status": "ok",
            "dataset": "d",
            "dataset_params": {},
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
        ({"order": ["lp", "svm"], "datasets": ["other"]}, "not run", "no trial"),
        ({"order": ["lp", "fdrop"]}, "not run", "no trial"),
        ({"order": ["lp", "svm"], "at": [7, 8.5]}, "not run", "no trial at 7, 8.5: the axis has 0, 2"),
        ({"algorithm": "svm", "between": [0.3, 0.5], "at": [2]}, "reproduced", "svm = 0.4050"),
        ({"algorithm": "svm", "between": [0.3, 0.4], "at": [2]}, "not reproduced", "svm = 0.4050"),
    ],
)
def test_outcomes(claim, outcome, evidence):
    verdict = judge({**CLAIM, **claim}, RECORDS, "error", greater_is_better=False)
    assert verdict.outcome == outcome
    assert evidence in verdict.evidence


def test_failed_trials_are_told():
    records = [
        {**row, "status": "failed"} if row["repetition"] and row["algorithm"] == "svm" else row for row in RECORDS
    ]
    claim = {**CLAIM, "order": ["lp", "svm"], "at": [2]}
    for others in ([], rows({("constant", 2.0): 0.9})):
        verdict = judge(claim, [*records, *others], "error", greater_is_better=False)
        assert verdict.evidence.endswith("; without 1 of 4 trials, which failed")


def test_where_more_is_better_the_order_turns():
    claim = {**CLAIM, "order": ["svm", "lp"], "at": [2]}
    assert judge(claim, RECORDS, "error", greater_is_better=True).outcome == "reproduced"


@pytest.mark.parametrize(
    ("claim", "outcome", "shortfall"),
    [
        ({"algorithm": "svm", "value": 0.4, "at": [2], "tolerance": 0.01}, "reproduced", None),
        ({"algorithm": "svm", "value": 0.3, "at": [2], "tolerance": 0.01}, "not reproduced", 0.095),
        ({"algorithm": "lp", "monotone": "increasing"}, "reproduced", None),
        ({"algorithm": "lp", "monotone": "decreasing"}, "not reproduced", 0.1),
        ({"algorithm": "lp", "monotone": "decreasing", "tolerance": 0.1}, "reproduced", None),
        ({"algorithm": "lp", "monotone": "decreasing", "at": [2]}, "not run", None),
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
