"""Words that nobody reads twice: what was hard to read stands nowhere, and a term of the glossary has one meaning."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "benchkit", "plugins", "suites", "docs")]
TEXTS = {
    path.relative_to(ROOT): " ".join(path.read_text(encoding="utf-8").split())
    for place in PAGES
    for path in ([place] if place.is_file() else place.rglob("*"))
    if path.suffix in (".md", ".py", ".yaml", ".html")
}


@pytest.mark.parametrize(
    "former",
    [
        "value of features deleted",  # features deleted (total cost)
        "most robust by",  # has the lowest mean error on 1 of 2 data sets
        "too small for any number",  # too small to see with this much data
        "Typed again, it runs nothing",  # Running it again skips finished trials
        "goes on where it stopped",  # resumes
        "rules of conformance",  # conformance tests
        "is owed to",  # only because
        "that take no gaps",  # that do not support missing values
        "stars and intervals speak of",  # generalise to new samples, or condition on this data set
    ],
)
def test_what_was_hard_to_read_stands_nowhere(former):
    assert [str(path) for path, text in TEXTS.items() if former in text] == []


def test_a_term_of_the_glossary_has_one_meaning():
    rows = [line.split(" | ") for line in (ROOT / "docs" / "glossary.md").read_text().splitlines() if line[:2] == "| "]
    terms = [row[0].removeprefix("| ") for row in rows if row[0] != "| term"]
    assert len(terms) == len(set(terms)) > 40
    meant = [row[1] for row in rows if row[0] != "| term"]
    assert [text for text in meant if re.search(r"; also |, or else |\bor: ", text)] == []


def test_the_first_page_names_both_tests():
    index = TEXTS[Path("docs/index.md")]
    assert "corrected resampled t-test or Wilcoxon's signed-rank test" in index
