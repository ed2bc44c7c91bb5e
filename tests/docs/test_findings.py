"""The sentences that open REPRODUCTION.md say what the published rows say today."""

import re
import sys
import textwrap
from functools import cache
from pathlib import Path

import pytest

from benchkit_results.stored import open_stored

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")


def by_hand(text):
    """A page or a sentence without the breaks of its lines."""
    return " ".join(text.split())


sys.path.insert(0, str(ROOT / "docs" / "site"))
from findings import WIDTH, findings, read_findings, told  # noqa: E402
from one_suite import judged, published_profile  # noqa: E402

sys.path.remove(str(ROOT / "docs" / "site"))

FOUND = read_findings()
SENTENCES = [*FOUND["sentences"], *FOUND["closing"]]


@pytest.fixture(scope="module")
def results_of():
    stored = open_stored(str(ROOT / "results"))
    return cache(lambda name: judged(stored, name, published_profile(stored, name)))


@pytest.mark.whole
@pytest.mark.parametrize("place", range(len(SENTENCES)))
def test_a_sentence_says_what_the_rows_say(place, results_of):
    """A changed number, or a claim that has another outcome, fails here: write the page again, and read it."""
    assert by_hand(told(SENTENCES[place], results_of)) in by_hand(PAGE)


@pytest.mark.parametrize("place", range(len(SENTENCES)))
def test_no_sentence_has_a_result_that_is_typed(place):
    """Outside braces stand settings, such as K = 25, and no decimals, points or shares."""
    outside = re.sub(r"\{\w+\}", "", SENTENCES[place]["text"])
    assert re.findall(r"\d*\.\d+|\d+ (?:points|%)|\[", outside) == []


class Rows:
    """A suite with five repetitions, in which lp errs so much less than svm."""

    def __init__(self, lead):
        known = {"status": "ok", "dataset": "d", "dataset_params": {}, "group": None, "adversary": "a"}
        known |= {"axis": "budget", "axis_value": 1, "n_rows": 2000, "n_test": 1000, "folds": None, "generated": False}
        self.rows = [
            {**known, "algorithm": name, "repetition": at, "metrics": {"error": 0.3 + 0.001 * at - less}}
            for name, less in (("lp", lead), ("svm", 0))
            for at in range(5)
        ]
        self.metrics, self.ranges, self.greater_is_better, self.attack_order = ["error"], {}, {}, {}


LEAD = {"suite": "s", "order": ["lp", "svm"]}


def test_a_number_is_of_the_rows_and_a_word_is_held_to_them():
    sentence = {"text": "LP leads by {lead}.", "numbers": {"lead": {**LEAD, "times": -100, "unit": "points"}}}
    assert told(sentence, lambda name: Rows(0.12)) == "LP leads by 12.0 points [11.9, 12.1]."
    assert told(sentence, lambda name: Rows(0.0)) == "LP leads by 0.0 points [-0.1, 0.1]."
    held = {**sentence, "holds": [{**LEAD, "outcome": "supported"}]}
    assert told(held, lambda name: Rows(0.12)) == told(sentence, lambda name: Rows(0.12))
    with pytest.raises(ValueError, match="the rows say contradicted: lp - svm = "):
        told(held, lambda name: Rows(-0.12))


def test_a_mean_is_over_points_where_something_is_lost():
    rows = Rows(0.12)
    rows.rows += [row | {"axis_value": 0} for row in Rows(0.02).rows]
    mean = {**LEAD, "on_average": "all", "times": -100, "unit": "points"}
    at_zero = {**LEAD, "at": [0], "times": -100, "unit": "points"}
    sentence = {"text": "LP leads by {lead}, at N = 0 by {zero}.", "numbers": {"lead": mean, "zero": at_zero}}
    assert (
        told(sentence, lambda name: rows) == "LP leads by 12.0 points [11.9, 12.1], at N = 0 by 2.0 points [1.9, 2.1]."
    )


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ({"text": "LP leads by {lead}."}, r"numbers \[\] where the sentence has \['lead'\]"),
        ({"text": "{x}", "numbers": {"x": {**LEAD, "order": ["lp", "o2b"]}}}, "no row gives"),
    ],
)
def test_a_number_that_no_row_gives(sentence, reason):
    with pytest.raises(ValueError, match=reason):
        told(sentence, lambda name: Rows(0.1))


def test_sentences_are_numbered_and_wrapped():
    text = findings(None, {"opening": "What holds.\n", "sentences": [{"text": "word " * 40}], "closing": []})
    assert text == "What holds.\n\n" + textwrap.fill("1. " + "word " * 40, WIDTH, subsequent_indent="   ") + "\n"
