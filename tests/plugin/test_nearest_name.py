"""What an unknown name is answered with."""

import pytest

from benchkit.plugin.manager import UnknownNameError
from benchkit.plugin.nearest_name import Suggestion, nearest_name


@pytest.mark.parametrize(
    ("name", "known", "nearest"),
    [
        ("greedy-delet", ["random-delete", "greedy-delete"], "greedy-delete"),
        ("smv", {"svm": 1, "lp": 2}, "svm"),  # the keys of a mapping
        ("xyz", ["svm", "lp"], None),
        ("svm", [], None),
        (10, ["100", "seed"], "100"),  # YAML keys may be numbers
    ],
)
def test_the_nearest(name, known, nearest):
    assert nearest_name(name, known) == nearest
    assert nearest_name(name, iter(known)) == nearest


def test_the_hint_names_the_nearest_or_what_there_is():
    assert str(Suggestion("smv", ["svm", "lp"], otherwise="known: lp, svm")) == "did you mean 'svm'?"
    assert str(Suggestion("xyz", ["svm", "lp"], otherwise="known: lp, svm")) == "known: lp, svm"


def test_names_that_can_be_read_only_once():
    error = UnknownNameError("algorithm", "xyz", (name for name in ["svm", "lp"]))
    assert str(error) == "unknown algorithm 'xyz'; known: lp, svm"
    assert str(UnknownNameError("algorithm", "xyz", ())) == "unknown algorithm 'xyz'; known: none"
