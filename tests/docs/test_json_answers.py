"""The page on JSON is up to date."""

import importlib.util
from pathlib import Path

PATH = Path(__file__).parents[2] / "docs" / "json_answers.py"


def test_the_page_is_up_to_date():
    found = importlib.util.spec_from_file_location("json_answers", PATH)
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run: python docs/json_answers.py"
