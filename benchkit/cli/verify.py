"""``benchkit verify``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.errors import SOME_FAILED
from benchkit.cli.interface.json_answer import JsonOption, print_json
from benchkit.cli.interface.options import TrustOption

if TYPE_CHECKING:
    from benchkit.plugin.declarations import ModelCheck


def verify(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="The folder of a suite (its newest run) or of a run.", autocompletion=complete.runs
        ),
    ],
    as_json: JsonOption = False,
    trust: TrustOption = False,
) -> None:
    """Recompute what kept models claim, such as objectives and duality gaps, without their solvers."""
    from benchkit.session.past.verify import verify as recheck

    checked: dict[tuple[str, str], list[ModelCheck]] = {}
    broken, unchecked, rows = [], set(), []
    for rechecked in recheck(run, trust=trust):
        if not rechecked.checks:
            unchecked.add(rechecked.algorithm)
        for check in rechecked.checks:
            checked.setdefault((rechecked.algorithm, check.what), []).append(check)
            rows.append({"trial": rechecked.display_name, "algorithm": rechecked.algorithm, **_json_row(check)})
            if not check.holds:
                broken.append(
                    f"{rechecked.display_name}: {check.what}: stated {check.stated!r}, found {check.recomputed!r}"
                )
    nothing = f"nothing to check of {', '.join(sorted(unchecked))}" if unchecked else ""
    if as_json:
        print_json("verify", rows, {}, [nothing] if nothing else [])
    else:
        _print(checked, nothing, broken)
    if broken:
        raise typer.Exit(SOME_FAILED)


def _json_row(check: ModelCheck) -> dict[str, object]:
    return {"what": check.what, "stated": check.stated, "recomputed": check.recomputed, "holds": bool(check.holds)}


def _print(checked: Mapping[tuple[str, str], list[ModelCheck]], nothing: str, broken: list[str]) -> None:
    from rich.table import Table

    from benchkit.cli.interface.console import Console

    console = Console()
    table = Table(title="Rechecked without solvers", title_justify="left", title_style="bold")
    table.add_column("algorithm")
    table.add_column("what a model states")
    table.add_column("holds", justify="right")
    for (algorithm, what), checks in checked.items():
        table.add_row(algorithm, what, f"{sum(check.holds for check in checks)} of {len(checks)}")
    console.print(table)
    if nothing:
        console.print(nothing, style="dim")
    for line in broken:
        console.print(f"does not hold: {line}", soft_wrap=True, highlight=False, markup=False)
