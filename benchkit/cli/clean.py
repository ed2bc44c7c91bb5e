"""``benchkit clean``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli.interface.options import OUT, OutOption


def clean(
    out: OutOption = OUT,
    dry: Annotated[bool, typer.Option("--dry-run", help="Only list what would be removed.")] = False,
) -> None:
    """Remove what no run needs any more: stale journal lines, kept models, shared fits."""
    from benchkit.session.past.clean import clean as remove

    verb = "would remove" if dry else "removed"
    for freed in remove(out, dry=dry):
        typer.echo(f"{freed.suite}: {verb} {freed.rows} journal lines, {freed.files} files ({freed.megabytes:.1f} MB)")
