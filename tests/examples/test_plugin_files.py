"""Each file under examples/plugins keeps the rules of its kind."""

from pathlib import Path

import pytest

from benchkit.testing.check import checks_of

FILES = sorted((Path(__file__).parents[2] / "examples" / "plugins").glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_keeps_every_rule(file):
    outcomes = {check.rule.name: check.find() for check in checks_of(file)}
    assert not [(name, found.reason) for name, found in outcomes.items() if found.outcome == "broken"]
    assert sum(found.outcome == "kept" for found in outcomes.values()) >= 3
