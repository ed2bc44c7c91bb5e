"""All mistakes of a suite come from one function, in the order in which they are found."""

import pytest

from benchkit.check.suite import find
from benchkit.plugin.manager import registry
from benchkit.session.planning import plan
from benchkit.session.request import Request
from benchkit.suite.load import load
from benchkit.suite.source import SuiteError
from benchkit.trial.identity import Fingerprints

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


@pytest.fixture
def told(write_suite):
    """What is found in the suite, without its path."""
    path = write_suite(SUITE)
    loaded, known = load(path), registry()

    def find_in_it(*options):
        found = find(loaded, known, Fingerprints(known), (), *options).mistakes
        return [line.removeprefix(str(path)) for line in found]

    return find_in_it


def test_no_data_is_looked_at_before_it_is_known_whose(told):
    assert told() == [NAMED]


def test_names_come_before_data(told):
    assert told(None) == [NAMED, SEEN]
    assert told({"breast"}) == [NAMED, SEEN]
    assert told({"digits"}) == [NAMED]


def test_what_was_found_is_told_and_not_looked_for_again(told):
    assert told(None, ["no trials"]) == ["no trials", SEEN]


def test_of_very_many_the_first_are_told_and_how_many_more(write_suite):
    budgets = [*range(11, 51)]
    entries = [{"name": "random-delete", "label": f"take-{number}", "budgets": budgets} for number in range(30)]
    lines = "\n".join(f"  - {entry}".replace("'", "") for entry in entries)
    path = write_suite(SUITE.replace("  - {name: random-delete, budgets: [0, 11]}", lines).replace("eror", "error"))
    with pytest.raises(SuiteError) as caught:
        plan(Request(str(path)))
    title, first, *others, last = str(caught.value).splitlines()
    assert title == "1,200 mistakes:"
    assert first == f"  {path}{SEEN.replace('budgets.1', 'budgets.0')}"
    assert len(others) == 19
    assert last == "  ... and 1,180 more"


def test_a_budget_of_all_features_is_told_and_no_mistake(tiny, write_suite):
    tiny["adversaries"][0]["budgets"] = [0, 9, 10]
    reuse = plan(Request(write_suite(tiny)))
    assert reuse.warnings == ()
    (note,) = reuse.notes
    assert "adversaries.0.budgets.2: budget 10 takes all features of breast" in note
    tiny["adversaries"][0]["budgets"] = ["100%"]
    reuse = plan(Request(write_suite(tiny)))
    assert "budget 100% takes all features of breast (10 is the number of features)" in reuse.notes[0]
