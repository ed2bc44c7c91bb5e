"""``benchkit publish``, ``benchkit verify`` and ``benchkit site``."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit import json_answer

if TYPE_CHECKING:
    from benchkit_results.verify import Verification


def publish(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs, suites or collections.")],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Folder of published results.")],
    licence: Annotated[str, typer.Option(metavar="SPDX", help="Licence of the published rows.")] = "CC-BY-4.0",
    by: Annotated[str, typer.Option(metavar="NAME", help="Who publishes, if that is to be said.")] = "",
    losses: Annotated[
        bool, typer.Option("--losses/--no-losses", help="Publish also what each test row lost, for sharper intervals.")
    ] = True,
) -> None:
    """Write runs, without what is private, as folders that others can join with theirs."""
    from benchkit_results.publish import publish as write

    for run in write(runs, to, licence=licence, by=by, losses=losses):
        print(f"{run.rows} rows, {run.with_losses} with the losses of their test rows, in {run.folder}")


def verify(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="RUN|DIR|published",
            help="The folder of a suite (its newest run), of a run, or of published results.",
        ),
    ],
    share: Annotated[
        float, typer.Option(min=0, max=1, metavar="X", help="Share of the rows that is run again; one at least.")
    ] = 0.02,
    tolerance: Annotated[
        float, typer.Option(min=0, metavar="X", help="How much a metric may differ, relative to max(1, its value).")
    ] = 1e-6,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Which rows; drawn by default.")] = None,
    plugin: Annotated[
        list[Path] | None, typer.Option("--plugin", metavar="FILE", help="A Python file that is a plugin; repeats.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for other programs.")] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Execute what runs of others and published suites bring.")
    ] = False,
) -> None:
    """Run a share of the rows again and compare, and recompute what models claim, such as objectives and gaps."""
    from benchkit_results.verify import verify as run_again

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
        print(json_answer("verify", rows, {}, notes))
    else:
        _show(verification, [*notes, f"seed {seed}, tolerance {tolerance:g}"])
    if not verification.holds:
        raise typer.Exit(1)


def site(
    results: Annotated[str, typer.Argument(metavar="DIR|published", help="A folder of published results.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the pages go.")],
) -> None:
    """Build a static site of published results: who is most robust, where; nothing on it is fetched from elsewhere."""
    from benchkit_results.site import build_site

    pages = build_site(results, output)
    print(f"{len(pages)} pages; open {output / 'index.html'}")


def _show(verification: Verification, notes: list[str]) -> None:
    from benchkit import ReportTable
    from benchkit.document import Block, Document, Heading, Table, Text
    from benchkit.document.terminal import Console, show

    checks: dict[tuple[str, str], list[bool]] = {}
    for row in verification.verified:
        for check in row.checks:
            checks.setdefault((row.algorithm, check.what), []).append(check.holds)
            if not check.holds:
                text = f"{row.display_name}: {check.what}: stated {check.stated!r}, found {check.recomputed!r}"
                notes.append(f"does not hold: {text}")
    rows = [[*key, f"{sum(holds)} of {len(holds)}"] for key, holds in checks.items()]
    columns = ("algorithm", "what was stated", "holds")
    table = ReportTable(title="Computed again", columns=columns, rows=rows, align=("left", "left", "right"))
    blocks: list[Block] = [Heading("Computed again"), Table(table), *map(Text, notes)]
    show(Document("", blocks), Console(highlight=False))
