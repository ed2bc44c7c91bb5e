"""The judgement as people and programs read it."""

import json
import math
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit import TableError
from benchkit_judge.document import range_text
from benchkit_judge.judge import holds


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(0)
    values = rng.random((10, 1)) + rng.normal(0, 0.02, (10, 3)) - [0, 0.003, 0.3]
    values[3, 2] = math.nan
    names = ["ours <b>", "base|line", "old_$x$"]
    table = pd.DataFrame(
        {"method": names * 10, "task": np.repeat([f"t{each}" for each in range(10)], 3), "accuracy": values.ravel()}
    )
    return benchkit.judge(table, within=0.1)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "json"])
def test_every_form_says_the_question_the_answer_and_the_methods(judged, form):
    text = judged.write(form)
    plain = " ".join(text.replace("\\_", "_").replace("\\$", "$").split())
    assert "other tasks like these" in plain
    assert "2 of 3 methods may be the best" in plain
    assert "old_$x$" in plain or "old_<wbr>$x$" in plain
    assert "not missing by chance" in plain


def test_unknown_forms(judged):
    with pytest.raises(TableError, match="unknown format 'docx'; there are text, markdown"):
        judged.write("docx")


def test_the_page_is_whole_and_fetches_nothing(judged):
    class Reader(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open, self.fetched, self.titles = [], [], []

        def handle_starttag(self, tag, attributes):
            found = dict(attributes)
            self.fetched += [found[key] for key in ("src", "href") if key in found]
            if tag not in ("meta", "link", "img", "br", "wbr", "input", "col"):
                self.open.append(tag)

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

        def handle_data(self, data):
            if self.open and self.open[-1] == "h2":
                self.titles.append(data)

    page = judged.write("html")
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    assert all(each.startswith(("#", "data:")) for each in reader.fetched)
    assert reader.titles == ["Answer", "Tiers", "Pairs", "What the average hides", "Missing cells", "How it was judged"]
    assert "<b>" not in page.split("<h1>")[1].split("</h1>")[0]
    assert "ours <b>" not in page
    assert "data:image/svg+xml" in page


def test_json_is_strict_and_has_every_pair(judged):
    def refuse(name):
        raise AssertionError(name)

    said = json.loads(judged.write("json"), parse_constant=refuse)
    assert len(said["pairs"]) == 3
    assert said["counts"] == {"decided": 2, "equal": 1, "open": 0}
    assert {row["method"]: row["tier"] for row in said["methods"]}["old_$x$"] == 2
    assert said["missing"] == [{"method": "old_$x$", "cells missing": 1, "what was done": "judged on what all have"}]


def test_notebooks(judged):
    shown = judged._repr_html_()
    assert "<table>" in shown
    assert "ours <b>" not in shown


def test_the_figure_has_a_row_per_method(judged):
    (axes,) = judged.plot().axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(judged.methods)
    assert len(axes.collections) == 2


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ("ours <b> not better than old_$x$", False),
        ("old_$x$ better than ours <b>", False),
        ("old_$x$ worse than base|line", True),
        ("ours <b> not better than base|line", True),
        ("ours <b> equal to base|line", True),
        ("ours <b> not equal to  old_$x$", True),
    ],
)
def test_conditions(judged, condition, outcome):
    held, said = holds(judged, condition)
    assert held is outcome
    assert said.startswith(condition.partition(" not ")[0].split(" better")[0].split(" worse")[0].split(" equal")[0])


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("ours beats base", "expected 'A \\[not\\] better than B'"),
        ("ours better than base", "no method 'ours' is judged"),
    ],
)
def test_conditions_that_say_nothing(judged, condition, expected):
    with pytest.raises(TableError, match=expected):
        holds(judged, condition)


def test_ranges_are_no_more_exact_than_is_known():
    assert range_text(math.nan, math.nan, 10) == "-"
    assert range_text(60, math.inf, 10) == "50 or more; maybe none would"
    assert range_text(110, 12_360, 10) == "100 to 13,000"
    assert range_text(math.inf, math.inf, 10) == "more than a million, or none would"
