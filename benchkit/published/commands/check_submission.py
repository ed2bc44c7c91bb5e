"""``benchkit check-submission``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.errors import SOME_FAILED


def check_submission(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A folder of published results, or a file of one.")],
) -> None:
    """Check published results that somebody submits: format, digests, sizes, ranges, nothing private."""
    from benchkit.cli.interface.console import Console
    from benchkit.published.submission import check_submission as check

    problems = check(file)
    console = Console()
    for problem in problems:
        console.print(problem, highlight=False, markup=False, soft_wrap=True)
    if problems:
        raise typer.Exit(SOME_FAILED)
    console.print(f"{file}: nothing to complain of", highlight=False, markup=False, soft_wrap=True)
