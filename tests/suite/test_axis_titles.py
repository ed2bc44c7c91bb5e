"""What figures call the axis of budgets."""

import pytest

from benchkit.plugin.manager import registry
from benchkit.suite.whole_suite import Suite, axis_titles


@pytest.mark.parametrize(
    ("adversary", "budgets", "values", "title"),
    [
        ("greedy-delete", [0, 2], "uniform", "features deleted"),
        ("greedy-delete", [0, 2], "mutual-information", "features deleted (total cost)"),
        ("random-delete", [0, 2], "mutual-information", "features deleted"),
        ("greedy-delete", ["0%", "20%"], "mutual-information", "share of features deleted"),
        ("greedy-delete", [0, 2], [1.0, 2.0], "features deleted (total cost)"),
        ("enumerate-delete", [0, 2], "uniform", "features deleted"),
        ("query-corrupt", [0, 2], "uniform", "features replaced"),
        ("corrupt-responses", [0.1], "uniform", "fraction of responses corrupted"),
    ],
)
def test_titles(adversary, budgets, values, title):
    suite = Suite(
        name="s",
        datasets=["breast"],
        algorithms=["svm"],
        feature_values=values,
        adversaries=[{"name": adversary, "label": "mine", "budgets": budgets}],
    )
    assert axis_titles(suite, registry()) == {"mine": title}
