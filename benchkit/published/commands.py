"""``benchkit publish``, ``benchkit verify`` and ``benchkit site``."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.console import SOME_FAILED
from benchkit.cli.interface.json_answer import JsonOption, print_json
from benchkit.cli.interface.options import PluginOption, TrustOption

if TYPE_CHECKING:
    from benchkit.plugin.declarations import ModelCheck
    from benchkit.published.verify import Verification


def publish(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Runs, suites or collections.", autocompletion=complete.runs),
    ],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Folder of published results.")],
    licence: Annotated[str, typer.Option(metavar="SPDX", help="Licence of the published rows.")] = "CC-BY-4.0",
    by: Annotated[str, typer.Option(metavar="NAME", help="Who publishes, if that is to be said.")] = "",
    losses: Annotated[
        bool,
        typer.Option("--losses/--no-losses", help="Publish also what each test row lost, for sharper intervals."),
    ] = True,
) -> None:
    """Write runs, without what is private, as folders that others can join with theirs."""
    from benchkit.cli.interface.console import Console
    from benchkit.published.write import publish as write

    console = Console()
    for run in write(runs, to, licence=licence, by=by, losses=losses):
        console.print(
            f"{run.rows} rows, {run.with_losses} with the losses of their test rows, in {run.folder}",
            highlight=False,
            soft_wrap=True,
        )


def verify(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="RUN|DIR|published",
            help="The folder of a suite (its newest run), of a run, or of published results.",
            autocompletion=complete.runs,
        ),
    ],
    share: Annotated[
        float, typer.Option(min=0, max=1, metavar="X", help="Share of the rows that is run again; one at least.")
    ] = 0.02,
    tolerance: Annotated[
        float, typer.Option(min=0, metavar="X", help="How much a metric may differ, relative to max(1, its value).")
    ] = 1e-6,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Which rows; drawn by default.")] = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
    trust: TrustOption = False,
) -> None:
    """Run a share of the rows again and compare, and recompute what models claim, such as objectives and gaps."""
    from benchkit.published.verify import verify as run_again

    seed = secrets.randbelow(2**31) if seed is None else seed
    verification = run_again(reference, share=share, tolerance=tolerance, seed=seed, plugins=plugin or (), trust=trust)
    unchecked = sorted({row.algorithm for row in verification.verified if not row.checks})
    notes = [f"{count} rows not run: {why}" for why, count in verification.not_run.items()]
    notes += [f"nothing to check of {', '.join(unchecked)}"] if unchecked else []
    if as_json:
        rows = [
            {"trial": row.display_name, "algorithm": row.algorithm, **asdict(check), "holds": bool(check.holds)}
            for row in verification.verified
            for check in row.checks
        ]
        print_json("verify", rows, {}, notes)
    else:
        _print(verification, [*notes, f"seed {seed}, tolerance {tolerance:g}"])
    if not verification.holds:
        raise typer.Exit(SOME_FAILED)


def _print(verification: Verification, notes: list[str]) -> None:
    from rich.table import Table

    from benchkit.cli.interface.console import Console

    console = Console()
    table = Table(title="Computed again", title_justify="left", title_style="bold")
    table.add_column("algorithm")
    table.add_column("what was stated")
    table.add_column("holds", justify="right")
    checks: dict[tuple[str, str], list[ModelCheck]] = {}
    for row in verification.verified:
        for check in row.checks:
            checks.setdefault((row.algorithm, check.what), []).append(check)
    for (algorithm, what), members in checks.items():
        table.add_row(algorithm, what, f"{sum(check.holds for check in members)} of {len(members)}")
    console.print(table)
    for note in notes:
        console.print(note, style="dim", soft_wrap=True, highlight=False, markup=False)
    for row in verification.verified:
        for check in row.checks:
            if not check.holds:
                text = f"{row.display_name}: {check.what}: stated {check.stated!r}, found {check.recomputed!r}"
                console.print(f"does not hold: {text}", soft_wrap=True, highlight=False, markup=False)


def site(
    results: Annotated[str, typer.Argument(metavar="DIR|published", help="A folder of published results.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the pages go.")],
) -> None:
    """Build a static site of published results: who is most robust, where; nothing on it is fetched from elsewhere."""
    from benchkit.cli.interface.console import Console
    from benchkit.published.site.build import build_site

    pages = build_site(results, output)
    Console().print(f"{len(pages)} pages; open {output / 'index.html'}", highlight=False, soft_wrap=True)
