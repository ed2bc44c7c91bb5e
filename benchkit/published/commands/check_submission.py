"""``benchkit check-submission``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.errors import SOME_FAILED
from benchkit.cli.interface.json_answer import JsonOption, print_json


def check_submission(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A folder of published results, or a file of one.")],
    as_json: JsonOption = False,
) -> None:
    """Check published results that somebody submits: format, digests, sizes, ranges, nothing private."""
    from benchkit.cli.interface.console import Console
    from benchkit.published.submission import check_submission as check

    problems = check(file)
    console = Console()
    if as_json:
        print_json("check-submission", [{"problem": problem} for problem in problems])
    for problem in () if as_json else problems:
        console.print(problem, highlight=False, markup=False, soft_wrap=True)
    if problems:
        raise typer.Exit(SOME_FAILED)
    if not as_json:
        console.print(f"{file}: nothing to complain of", highlight=False, markup=False, soft_wrap=True)
