"""``benchkit merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.options import OUT, OutOption


def merge(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs of one suite, such as its shards.")],
    out: OutOption = OUT,
) -> None:
    """Join runs of one suite that were made apart into one run."""
    from benchkit.cli.show_results import print_results
    from benchkit.conduct.merging import merge as join
    from benchkit.report.analysis import Analysis

    print_results(Analysis(join(runs, out=out)))
