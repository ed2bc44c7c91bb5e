"""What each method of a suite is told and tunes."""

from benchkit.plugin.manager import registry
from benchkit.report.tables.knowledge import knowledge
from benchkit.suite.whole_suite import Suite

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


def test_where_nobody_could_be_told():
    assert knowledge(Suite.model_validate({**SUITE, "adversaries": []}), registry()) is None
    assert knowledge(Suite.model_validate({**SUITE, "algorithms": ["svm", "constant"]}), registry()) is None
