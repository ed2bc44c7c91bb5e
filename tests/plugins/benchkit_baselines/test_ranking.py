"""Ranks against a hand calculation; what cannot be compared is left out."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchkit import Results
from benchkit_baselines.ranking import ranking


def results(means, **fields):
    """A run of one repetition from {(dataset, budget): {algorithm: error}}."""
    rows = [
        {
            "cell": f"{dataset}-{budget}-{algorithm}",
            "status": "ok" if error is not None else "failed",
            "dataset": dataset,
            "dataset_params": {},
            "group": None,
            "adversary": "none",
            "adversary_params": {},
            "algorithm": algorithm,
            "repetition": 0,
            "budget": budget,
            "axis": "budget",
            "axis_value": budget,
            "metrics": {} if error is None else {"error": error},
        }
        for (dataset, budget), by_algorithm in means.items()
        for algorithm, error in by_algorithm.items()
    ]
    made = Results(
        suite="s", title="", folder=Path(), records=rows, metrics=["error"], greater_is_better={"error": False}
    )
    return replace(made, **fields)


MEANS = {
    ("a", 0): {"x": 0.1, "y": 0.2, "z": 0.2},  # ranks 1, 2.5, 2.5
    ("a", 1): {"x": 0.3, "y": 0.2, "z": 0.4},  # ranks 2, 1, 3
    ("b", 0): {"x": 0.5, "y": 0.1},  # z did not run
    ("b", 1): {"x": 0.5, "y": 0.1, "z": None},  # z failed
}


def test_mean_ranks_over_shared_points():
    table = ranking(results(MEANS))
    assert table.columns == ("algorithm", "mean rank", "best at")
    assert table.rows == [("x", 1.5, 1), ("y", 1.75, 1), ("z", 2.75, 0)]
    assert "over 2 of 4 points" in table.note


def test_greater_may_be_better():
    table = ranking(results(MEANS, greater_is_better={"error": True}))
    assert [row[0] for row in table.rows] == ["z", "y", "x"]


@pytest.mark.parametrize("means", [{}, {("a", 0): {"x": 0.1}}, {("a", 0): {"x": 0.1}, ("b", 0): {"y": 0.1}}])
def test_nothing_to_compare(means):
    assert ranking(results(means)) is None
