"""The page on faults says what the published rows say."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "docs" / "site"))
from faults import PAGE, means, page, read_template  # noqa: E402
from one_suite import published  # noqa: E402

sys.path.remove(str(ROOT / "docs" / "site"))


@pytest.fixture(scope="module")
def results():
    return published(ROOT / "results", "faults")


@pytest.mark.whole
def test_the_page_is_what_the_published_rows_give(results):
    """A changed number fails here: ``python docs/site/faults.py``, and read the page."""
    assert page(results) == PAGE.read_text(encoding="utf-8")


@pytest.mark.whole
def test_every_fault_of_the_suite_has_a_panel(results):
    drawn = {panel["adversary"] for figure in read_template()["figures"].values() for panel in figure["panels"]}
    assert set(means(results).index.get_level_values("adversary")) == drawn


def test_no_sentence_has_a_result_that_is_typed():
    for sentence in read_template()["sentences"]:
        assert re.findall(r"\d*\.\d+|\d+ (?:points|%)|\[", re.sub(r"\{\w+\}", "", sentence["text"])) == []
