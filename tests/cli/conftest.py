"""The command line in processes of its own."""

import os
import subprocess
import sys

import pytest

MAIN = [sys.executable, "-c", "from benchkit.cli.main import main; main()"]


@pytest.fixture
def here(tmp_path):
    """Run benchkit in an empty folder."""

    def run(*arguments, **environment):
        env = {**os.environ, "COLUMNS": "100", **environment}
        return subprocess.run(
            [*MAIN, *arguments], capture_output=True, text=True, cwd=tmp_path, env=env, timeout=120, check=False
        )

    return run
