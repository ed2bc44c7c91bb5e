"""``benchkit debug``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli.options import OUT, OutOption


def debug(
    trial: Annotated[str, typer.Argument(metavar="TRIAL", help="A trial's id, or the beginning of it.")],
    out: OutOption = OUT,
    postmortem: Annotated[bool, typer.Option("--pdb", help="Enter the debugger where it raises.")] = False,
) -> None:
    """Repeat one trial in this process, with its exact seed and data; an error shows its traceback."""
    from benchkit.conduct.repeating import debug as repeat

    found = repeat(trial, out=out, postmortem=postmortem)
    typer.echo(found.trial.shown)
    typer.echo(f"params: {found.outcome['params']}")
    before = (found.before or {}).get("metrics", {})
    for name, value in found.outcome["metrics"].items():
        known = f" (in the journal {before[name]})" if name in before else ""
        typer.echo(f"{name}: {value}{known}")
    if not found.is_same:
        typer.echo("something that decides the outcome has changed since; 'benchkit plan --explain' says what")
