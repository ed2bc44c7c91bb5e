"""``benchkit verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli import complete
from benchkit.cli.errors import SOME_FAILED


def verify(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="The folder of a suite (its newest run) or of a run.", autocompletion=complete.runs
        ),
    ],
) -> None:
    """Recheck what kept models state, such as objectives and duality gaps, without their solvers."""
    from rich.table import Table

    from benchkit.cli.console import Console
    from benchkit.conduct.verifying import verify as recheck
    from benchkit.plugin.declarations import Check

    checked: dict[tuple[str, str], list[Check]] = {}
    broken, unchecked = [], set()
    for found in recheck(run):
        if not found.checks:
            unchecked.add(found.algorithm)
        for check in found.checks:
            checked.setdefault((found.algorithm, check.what), []).append(check)
            if not check.holds:
                broken.append(f"{found.shown}: {check.what}: stated {check.stated!r}, found {check.recomputed!r}")
    console = Console()
    table = Table(title="Rechecked without solvers", title_justify="left", title_style="bold")
    table.add_column("algorithm")
    table.add_column("what a model states")
    table.add_column("holds", justify="right")
    for (algorithm, what), checks in checked.items():
        table.add_row(algorithm, what, f"{sum(check.holds for check in checks)} of {len(checks)}")
    console.print(table)
    if unchecked:
        console.print(f"nothing to check of {', '.join(sorted(unchecked))}", style="dim")
    for line in broken:
        console.print(f"does not hold: {line}", soft_wrap=True, highlight=False, markup=False)
    if broken:
        raise typer.Exit(SOME_FAILED)
