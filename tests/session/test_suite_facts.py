"""What a manifest says in words of adversaries and metrics, by which answers are read."""

from benchkit.plugin.manager import registry
from benchkit.session.provenance import suite_facts
from benchkit.suite.whole_suite import Suite


def test_what_happens_is_said_by_label_and_what_is_a_share_by_metric():
    suite = Suite(
        name="s",
        datasets=["breast"],
        algorithms=["svm"],
        adversaries=[{"name": "random-delete", "label": "mine", "budgets": [1]}],
        metrics=["error", "roc_auc", "accuracy"],
    )
    facts = suite_facts(suite, registry())
    assert facts["situations"] == {"mine": "If features go at random"}
    assert facts["shares"] == {"error": "wrong on", "accuracy": "right on"}


def test_every_adversary_of_ours_says_what_happens():
    adversaries = registry().adversaries
    assert [name for name, each in adversaries.items() if not each.situation] == []
    assert all(each.situation.startswith(("If ", "In the ")) for each in adversaries.values())
