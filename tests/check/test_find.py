"""All mistakes of a suite are told at once, in the order in which they are found."""

import pytest

from benchkit.session.options import Request
from benchkit.session.plan import plan_suite
from benchkit.suite.source import SuiteError

SUITE = """\
name: demo
datasets: [breast]
split: {train: 20, test: 20}
algorithms: [constant]
adversaries:
  - {name: random-delete, budgets: [0, 11]}
metrics: [eror]
"""

NAMED = ":7: metrics.0: unknown metric 'eror'; did you mean 'error'?"
SEEN = ":6: adversaries.0.budgets.1: budget 11 exceeds 10, the number of features of breast: give at most that"


def mistakes(path):
    with pytest.raises(SuiteError) as caught:
        plan_suite(Request(str(path)))
    return [line.strip().removeprefix(str(path)) for line in str(caught.value).splitlines()]


def test_names_come_before_data_and_both_are_told(write_suite):
    assert mistakes(write_suite(SUITE)) == ["2 mistakes:", NAMED, SEEN]


def test_no_data_is_looked_at_of_which_nothing_is_asked(write_suite):
    text = SUITE.replace("[breast]", "[breast, digits]").replace("eror", "error")
    assert mistakes(write_suite(text)) == [SEEN]
    assert plan_suite(Request(str(write_suite(text)), only={"dataset": "digits"})).left


def test_of_very_many_the_first_are_told_and_how_many_more(write_suite):
    budgets = [*range(11, 51)]
    entries = [{"name": "random-delete", "label": f"take-{number}", "budgets": budgets} for number in range(30)]
    lines = "\n".join(f"  - {entry}".replace("'", "") for entry in entries)
    path = write_suite(SUITE.replace("  - {name: random-delete, budgets: [0, 11]}", lines).replace("eror", "error"))
    with pytest.raises(SuiteError) as caught:
        plan_suite(Request(str(path)))
    title, first, *others, last = str(caught.value).splitlines()
    assert title == "1,200 mistakes:"
    assert first == f"  {path}{SEEN.replace('budgets.1', 'budgets.0')}"
    assert len(others) == 19
    assert last == "  ... and 1,180 more"


def test_a_budget_of_all_features_is_told_and_no_mistake(tiny, write_suite):
    tiny["adversaries"][0]["budgets"] = [0, 9, 10]
    plan = plan_suite(Request(write_suite(tiny)))
    assert plan.warnings == ()
    (note,) = plan.notes
    assert "adversaries.0.budgets.2: budget 10 takes all features of breast" in note
    tiny["adversaries"][0]["budgets"] = ["100%"]
    plan = plan_suite(Request(write_suite(tiny)))
    assert "budget 100% takes all features of breast (10 is the number of features)" in plan.notes[0]
