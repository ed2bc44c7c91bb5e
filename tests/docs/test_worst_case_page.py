"""The page on the worst case of every method says what the published rows say."""

import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "docs" / "site"))
from one_suite import published  # noqa: E402
from worst_case import IMAGE, PAGE, page, read_template  # noqa: E402

sys.path.remove(str(ROOT / "docs" / "site"))


@pytest.fixture(scope="module")
def results():
    return published(ROOT / "results", "worst-case")


def test_the_page_is_what_the_published_rows_give(results):
    """A changed number fails here: ``python docs/site/worst_case.py``, and read the page."""
    assert page(results) == PAGE.read_text(encoding="utf-8")


def test_every_data_set_of_the_table_has_a_panel_and_every_method_of_the_suite_a_line():
    template = read_template()
    assert [panel["dataset"] for panel in template["figure"]["panels"]] == list(template["datasets"])
    suite = yaml.safe_load((ROOT / "suites" / "worst-case.yaml").read_text(encoding="utf-8"))
    labels = {each.get("label", each["name"]) for each in suite["algorithms"]}
    assert set(template["algorithms"]) == labels
    assert IMAGE.is_file()


def test_no_sentence_has_a_result_that_is_typed():
    for sentence in read_template()["sentences"]:
        assert re.findall(r"\d*\.\d+|\d+ (?:points|%)|\[", re.sub(r"\{\w+\}", "", sentence["text"])) == []
