"""The page of the papers' claims."""

from pathlib import Path

from reproduction_page import Paper, front, knowledge, paper_page

from benchkit.plugin.manager import registry
from benchkit.report.results import Results
from benchkit.suite.claims import Claim
from benchkit.suite.whole_suite import Suite

KEYS = {
    **{"cell": "c", "dataset": "breast", "dataset_params": {}, "group": None, "seed": 0},
    **{"adversary": "none", "adversary_params": {}, "axis": "budget", "axis_value": 0},
}


def page(*claims):
    rows = [
        {**KEYS, "algorithm": "svm", "repetition": r, "status": "ok", "metrics": {"error": 0.1 + 0.001 * r}}
        for r in range(5)
    ]
    expectations = [Claim.model_validate({"algorithm": "svm", **claim}) for claim in claims]
    results = Results("s", "Title", Path("runs/s/1"), rows, ["error"], {"error": False}, expectations)
    vars(results)["manifest"] = {"profile": "quick", "environment": {}, "suites": []}  # there is no folder to read
    papers = [Paper("p.md", "A paper", [results])]
    return front("All", "What holds.", papers, {}) + paper_page(papers[0])


def test_the_papers_claims_and_ours_are_counted_apart():
    text = page(
        {"claim": "low", "source": "Paper 1", "between": [0, 0.2]},
        {"claim": "high", "source": "Paper 1", "between": [0.5, 1], "reason": "C is large"},
        {"claim": "sweep", "control": True, "between": [0.5, 1], "reason": "C", "tested_by": "svm-c1"},
        {"claim": "why", "control": True, "between": [0.5, 1]},
    )
    assert "What holds." in text
    assert "| [A paper](reproduction/p.md) | 1, 1, 0, 0 | 0, 0, 0, 0 | 0, 2, 0, 0 | 0, 0, 1 |" in text
    assert "- 2 claims of the papers: 1 supported, 1 contradicted, 0 undecided, 0 not run." in text
    assert "- 2 controls of ours: 0 supported, 2 contradicted, 0 undecided, 0 not run." in text
    assert text.index("| high |") < text.index("Controls of ours:") < text.index("| sweep |")
    assert "(at reduced size)" in text


def test_printed_numbers_have_a_table_and_a_count_of_their_own():
    text = page(
        {"claim": "one", "paper": "0.10 ± 0.01", "value": 0.1, "stderr": 0.01},
        {"claim": "other", "value": 0.2, "stderr": 0, "reason": "C is large"},
        {"claim": "low", "between": [0, 0.2]},
    )
    assert "- 1 claims of the papers: 1 supported" in text
    assert "- 2 numbers that the papers print: 1 consistent with ours, 1 not consistent, 0 with too few" in text
    assert "| one | 0.1 ± 0.01 | 0.102 ± 0.00071 | +0.002 \\[-0.0257, +0.0297] | 5 | yes |  |" in text
    assert "| other | 0.2 | 0.102 ± 0.00071 | -0.098 \\[-0.1, -0.096] | 5 | **no** | Conjecture: C is large. |" in text
    assert "Of 2 numbers 1 are consistent with the paper's (of as many equal ones about 0.1 would not be); 1 of" in text
    assert "the mean of ours minus theirs is -4.8 points." in text
    assert "| s | 1 | 0 | 1 | 0 |\n| all | 1 | 0 | 1 | 0 |" in text  # why they are not: tested, guessed, unknown


GRID = {"noise_budget": {"up_to_budget": [0, 2]}, "C": [0.1, 1]}
SUITE = {
    "name": "s",
    "datasets": ["breast"],
    "split": {"validation": 0.25},
    "feature_values": "mutual-information",
    "algorithms": [
        {"name": "lp", "tune": {"data": "corrupted", "grid": GRID}},
        {"name": "fdrop", "tune": {"data": "corrupted"}},
        {"name": "fdrop-v", "params": {"n_deleted": 3}},
        {"name": "svm", "tune": {"grid": {"C": [1]}, "folds": 3}},
    ],
    "adversaries": [{"name": "greedy-delete", "budgets": [0, 4]}],
}


def test_rivals_side_by_side():
    table = knowledge(Suite.model_validate(SUITE), registry())
    tried = "noise_budget of 0, 2 up to the budget; C of 0.1, 1"
    assert [list(row) for row in table.rows] == [
        ["lp", "what it tunes (noise_budget)", "yes", tried, "corrupted validation rows"],
        ["fdrop", "the test's budget (n_deleted)", "no", "its default grid", "corrupted validation rows"],
        ["fdrop-v", "n_deleted = 3", "yes", "nothing", "-"],
        ["svm", "nothing", "no", "C of 1", "clean rows of 3 folds"],
    ]
