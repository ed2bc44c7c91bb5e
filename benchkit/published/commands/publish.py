"""``benchkit publish``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface import complete


def publish(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Runs, suites or collections.", autocompletion=complete.runs),
    ],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Folder of published results.")],
    licence: Annotated[str, typer.Option(metavar="SPDX", help="Licence of the published rows.")] = "CC-BY-4.0",
    by: Annotated[str, typer.Option(metavar="NAME", help="Who publishes, if that is to be said.")] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Take out your earlier rows that these answer anew, with other code.")
    ] = False,
    losses: Annotated[
        bool,
        typer.Option("--losses/--no-losses", help="Publish also what each test row lost, for sharper intervals."),
    ] = True,
) -> None:
    """Write rows of runs as files that others can join with theirs; what is published already is kept."""
    from benchkit.cli.interface.console import Console
    from benchkit.published.write import publish as write
    from benchkit.session.calibrate import note_speed

    console = Console()
    for run in runs:
        note_speed(run)
    told = write(runs, to, licence=licence, by=by, replace=replace, losses=losses)
    console.print(
        f"{told.added} rows added, {told.known} were there already"
        f"{f', of which {told.sharper} have got the losses of their test rows' if told.sharper else ''}"
        f"{f', {told.replaced} taken out for new ones' if replace else ''}; {len(told.files)} files in {to}",
        highlight=False,
        soft_wrap=True,
    )
    for conflict in told.conflicts:
        console.print(f"conflict, both are kept: {conflict}", style="yellow", highlight=False, markup=False)
    for large in told.large:
        console.print(f"larger than 4 MB: {large}", style="yellow", highlight=False, markup=False)
