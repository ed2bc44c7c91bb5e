"""The command line, in this process and in processes of its own."""

import os
import subprocess
import sys

import pytest
import typer

from benchkit.cli.main import app
from tests.conftest import PATIENCE

MAIN = [sys.executable, "-c", "from benchkit.cli.main import main; main()"]
HEAVY = ("mlflow", "sklearn", "pandas", "matplotlib", "numpy", "numba", "pydantic")
# What no light command needs; it says at its end on standard error what of that was imported.
SAYS_WHAT_IS_HEAVY = f"""
import atexit, sys
atexit.register(lambda: print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr))
from benchkit.cli.main import main
main()
"""


def commands():
    """The words of every command; a group is one, and so is each command in it."""
    whole = typer.main.get_command(app)
    context = typer.Context(whole)
    for name in whole.list_commands(context):
        _, command, _ = whole.resolve_command(context, [name])
        yield name
        yield from (f"{name} {inner}" for inner in getattr(command, "commands", {}))


@pytest.fixture
def light():
    return [sys.executable, "-c", SAYS_WHAT_IS_HEAVY]


@pytest.fixture
def process(tmp_path):
    """Run benchkit in an empty folder, in a process of its own."""

    def run(*arguments, command=MAIN, **environment):
        env = {**os.environ, "COLUMNS": "100", **environment}
        return subprocess.run(
            [*command, *arguments], capture_output=True, text=True, cwd=tmp_path, env=env, timeout=PATIENCE, check=False
        )

    return run
