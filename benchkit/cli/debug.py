"""``benchkit debug``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli.interface.options import OUT, OutOption, TrustOption


def debug(
    trial: Annotated[str, typer.Argument(metavar="TRIAL", help="A trial's id, or the beginning of it.")],
    out: OutOption = OUT,
    postmortem: Annotated[bool, typer.Option("--pdb", help="Start the debugger where the error is raised.")] = False,
    trust: TrustOption = False,
) -> None:
    """Repeat one trial in this process, with its exact seed and data; an error shows its traceback."""
    from benchkit.report.neutral import printable
    from benchkit.session.past.debug import debug as repeat

    repetition = repeat(trial, out=out, postmortem=postmortem, trust=trust)
    typer.echo(printable(repetition.trial.display_name))
    typer.echo(printable(f"params: {repetition.outcome['params']}"))
    before = (repetition.before or {}).get("metrics", {})
    for name, value in repetition.outcome["metrics"].items():
        known = f" (in the journal {before[name]})" if name in before else ""
        typer.echo(f"{name}: {value}{known}")
    if not repetition.is_same:
        typer.echo("something that decides the outcome has changed since; 'benchkit plan --explain' says what")
