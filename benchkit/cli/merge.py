"""``benchkit merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.options import OUT, OutOption


def merge(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs of one suite, such as its shards.")],
    out: OutOption = OUT,
) -> None:
    """Join separate runs of one suite, such as shards, into one run."""
    from benchkit.cli.interface.show_results import print_collection, print_results
    from benchkit.report.analysis import Analysis
    from benchkit.session.past.merge import merge as join

    results = join(runs, out=out)
    if results.members:
        print_collection(results)
    else:
        print_results(Analysis(results))
