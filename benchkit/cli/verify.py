"""``benchkit verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.errors import SOME_FAILED
from benchkit.cli.interface.options import TrustOption


def verify(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="The folder of a suite (its newest run) or of a run.", autocompletion=complete.runs
        ),
    ],
    trust: TrustOption = False,
) -> None:
    """Recompute what kept models claim, such as objectives and duality gaps, without their solvers."""
    from rich.table import Table

    from benchkit.cli.interface.console import Console
    from benchkit.plugin.declarations import ModelCheck
    from benchkit.session.past.verify import verify as recheck

    checked: dict[tuple[str, str], list[ModelCheck]] = {}
    broken, unchecked = [], set()
    for rechecked in recheck(run, trust=trust):
        if not rechecked.checks:
            unchecked.add(rechecked.algorithm)
        for check in rechecked.checks:
            checked.setdefault((rechecked.algorithm, check.what), []).append(check)
            if not check.holds:
                broken.append(
                    f"{rechecked.display_name}: {check.what}: stated {check.stated!r}, found {check.recomputed!r}"
                )
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
