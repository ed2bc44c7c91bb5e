"""Calling uv, which resolves and installs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchkit.environment.errors import EnvironmentBuildError

_MARKS = "╰─▶├│\u00d7 "  # what uv draws its explanations with


def find_uv() -> str | None:
    """The program, on the path or beside this interpreter; None where there is none."""
    return shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))


def call_uv(*arguments: str | Path) -> str:
    """What uv prints.

    Raises
    ------
    EnvironmentBuildError
        There is no uv, or it failed; with its reason.
    """
    program = find_uv()
    if program is None:
        raise EnvironmentBuildError("building an environment needs uv: pip install uv")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise EnvironmentBuildError(f"uv {arguments[0]} failed: {_reason(done.stderr.splitlines())}")
    return done.stdout.strip()


def _reason(lines: Sequence[str]) -> str:
    """What uv says, as one line, without what it draws."""
    words = " ".join(line.strip(_MARKS) for line in lines if not line.startswith("warning:"))
    return " ".join(words.removeprefix("error:").split())[:600] or "it does not say why"
