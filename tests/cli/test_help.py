"""Every command's help tells the exit codes."""

import pytest
import typer

from benchkit.cli.main import app


def commands():
    """The words of every command, groups and what is in them included."""
    whole = typer.main.get_command(app)
    yield []
    for name in whole.list_commands(typer.Context(whole)):
        yield [name]
        yield from ([name, inner] for inner in getattr(whole.commands[name], "commands", ()))


@pytest.mark.parametrize("words", [*commands()], ids=lambda words: " ".join(words) or "benchkit")
def test_help_tells_exit_codes(here, words):
    found = here(*words, "--help", COLUMNS="80")
    assert found.returncode == 0
    assert "Exit codes: 0 done; 1 some trials or checks failed; 2 wrong input" in " ".join(found.stdout.split())
