"""``benchkit recheck``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.errors import SOME_FAILED
from benchkit.cli.interface.options import PluginOption


def recheck(
    results: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of published results.")],
    share: Annotated[float, typer.Option(metavar="X", help="Share of the rows that is run again.")] = 0.02,
    tolerance: Annotated[
        float, typer.Option(min=0, metavar="X", help="How much a metric may differ, relative to max(1, its value).")
    ] = 1e-6,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Which rows; drawn and noted by default.")] = None,
    plugin: PluginOption = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run what published suites name, also other classes, files and code.")
    ] = False,
) -> None:
    """Run a random part of published results again, and write what came of it into their index."""
    from benchkit.cli.interface.console import Console
    from benchkit.published.recheck.recheck import recheck as run_again

    told = run_again(results, share=share, tolerance=tolerance, seed=seed, plugins=plugin or (), trust=trust)
    console = Console()
    compared = f"{told.losses} losses of test rows compared, {told.losses_differ} differ; " if told.losses else ""
    console.print(
        f"{told.agree} rows agree, {told.differ} differ (tolerance {tolerance:g}, largest difference "
        f"{told.largest:.2g}), {told.not_run} could not be run; {compared}{told.certificates} checks of models hold, "
        f"{told.broken} do not; {len(told.inconsistent)} failures of the consistency check",
        highlight=False,
    )
    for text in (*told.differences, *told.inconsistent):
        console.print(f"  {text}", style="red", highlight=False, markup=False, soft_wrap=True)
    for text in dict.fromkeys(told.reasons):
        console.print(f"  not run: {text}", style="yellow", highlight=False, markup=False, soft_wrap=True)
    if not told.ok:
        raise typer.Exit(SOME_FAILED)
