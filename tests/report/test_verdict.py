"""Claims hold, fail, or have not been run."""

import pytest

from benchkit.report.verdict import judge

CLAIM = {
    "claim": "c",
    "source": "s",
    "metric": None,
    "order": None,
    "algorithm": None,
    "between": None,
    "tolerance": 0.0,
    "datasets": None,
    "adversaries": None,
    "at": None,
}


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
        ({"order": ["lp", "svm"]}, "fails", "lp - svm = +0.0200"),
        ({"order": ["lp", "svm"], "at": [2]}, "holds", "lp - svm = -0.2000"),
        ({"order": ["lp", "svm"], "tolerance": 0.05}, "holds", "+0.0200"),
        ({"order": ["lp", "svm"], "datasets": ["other"]}, "not run", "no records"),
        ({"order": ["lp", "fdrop"]}, "not run", "no records"),
        ({"algorithm": "svm", "between": [0.3, 0.5], "at": [2]}, "holds", "svm = 0.4050"),
        ({"algorithm": "svm", "between": [0.3, 0.4], "at": [2]}, "fails", "svm = 0.4050"),
    ],
)
def test_outcomes(claim, outcome, evidence):
    verdict = judge({**CLAIM, **claim}, RECORDS, "error", greater_is_better=False)
    assert verdict.outcome == outcome
    assert evidence in verdict.evidence


def test_where_more_is_better_the_order_turns():
    claim = {**CLAIM, "order": ["svm", "lp"], "at": [2]}
    assert judge(claim, RECORDS, "error", greater_is_better=True).outcome == "holds"
