"""``--only`` takes several values of a field."""

import pytest
import typer

from benchkit.cli.interface.options import parse_only
from benchkit.cli.main import app
from benchkit.suite.source import SuiteError


@pytest.mark.parametrize(
    ("texts", "only"),
    [
        (["algorithm=a,b"], {"algorithm": ["a", "b"]}),
        (["algorithm=a, b,dataset=x,y"], {"algorithm": ["a", "b"], "dataset": ["x", "y"]}),
        (["algorithm=a", "algorithm=b"], {"algorithm": ["a", "b"]}),
        (["algorithm=a,algorithm=b"], {"algorithm": ["a", "b"]}),
    ],
)
def test_values(texts, only):
    assert parse_only(texts) == only


def test_a_value_without_a_field():
    with pytest.raises(SuiteError, match="--only a: expected KEY=VALUE"):
        parse_only(["a,algorithm=b"])


@pytest.mark.parametrize("option", ["metrics", "algorithms", "datasets"])
def test_lists_have_one_spelling(option):
    """Wherever an option narrows what is shown, it takes a list by its plural; the singular of `report` stays."""
    for name in ("report", "compare"):
        (command,) = (each for each in commands() if each.name == name)
        (found,) = (each for each in command.params if f"--{option}" in each.opts)
        assert found.metavar == "A,B,..."
        assert name == "compare" or f"--{option[:-1]}" in found.opts


def commands():
    return typer.main.get_command(app).commands.values()
