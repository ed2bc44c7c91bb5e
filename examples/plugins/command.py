"""A command: a function as typer takes it, whose parameters are arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit import Command, hookimpl, load


def trial_seconds(
    run: Annotated[Path, typer.Argument(help="A run's folder, or a suite's, which stands for its newest run.")],
) -> None:
    """Print how many trials of each method ended ok, and how many seconds of processors they took."""
    # What is wrong with the folder is a benchkit.RequestError, which the command line shows as one line.
    results = load(run)
    for method in dict.fromkeys(row["algorithm"] for row in results.rows):
        rows = [row for row in results.rows if row["algorithm"] == method]
        ended = sum(row["status"] == "ok" for row in rows)
        seconds = sum(row["cpu_seconds"] or 0.0 for row in rows)
        typer.echo(f"{method}\t{ended} of {len(rows)} ok\t{seconds:.2f} s")


@hookimpl
def benchkit_commands() -> list[Command]:
    """Declare the commands."""
    return [
        Command(
            name="trial-seconds",
            run=trial_seconds,
            summary="How many trials of each method ended ok, and what they took.",
        )
    ]
