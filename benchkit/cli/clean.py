"""``benchkit clean``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli.interface.options import OUT, OutOption


def clean(
    out: OutOption = OUT,
    dry: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Remove what no run's manifest names: stale journal lines, kept models, the store of shared fits."""
    from benchkit.session.past.clean import clean as remove

    verb = "would remove" if dry else "removed"
    for freed in remove(out, dry=dry):
        typer.echo(f"{freed.suite}: {verb} {freed.rows} journal lines, {freed.files} files ({freed.megabytes:.1f} MB)")
