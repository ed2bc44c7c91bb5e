"""``benchkit debug``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli.interface.json_answer import JsonOption, print_json
from benchkit.cli.interface.options import OUT, OutOption, TrustOption


def debug(
    trial: Annotated[str, typer.Argument(metavar="TRIAL", help="A trial's id, or the beginning of it.")],
    out: OutOption = OUT,
    postmortem: Annotated[bool, typer.Option("--pdb", help="Start the debugger where the error is raised.")] = False,
    as_json: JsonOption = False,
    trust: TrustOption = False,
) -> None:
    """Repeat one trial in this process, with its exact seed and data; an error shows its traceback."""
    from benchkit.document.text import printable
    from benchkit.session.past.again import debug as repeat

    repetition = repeat(trial, out=out, postmortem=postmortem, trust=trust)
    before = (repetition.before or {}).get("metrics", {})
    changed = "something that decides the outcome has changed since; 'benchkit plan --explain' says what"
    if as_json:
        outcome = repetition.outcome
        rows = [
            {"metric": name, "value": value, "before": before.get(name)} for name, value in outcome["metrics"].items()
        ]
        said = {"trial": repetition.trial.display_name, "params": outcome["params"], "same": repetition.is_same}
        print_json("debug", rows, said, [] if repetition.is_same else [changed])
        return
    typer.echo(printable(repetition.trial.display_name))
    typer.echo(printable(f"params: {repetition.outcome['params']}"))
    for name, value in repetition.outcome["metrics"].items():
        known = f" (in the journal {before[name]})" if name in before else ""
        typer.echo(f"{name}: {value}{known}")
    if not repetition.is_same:
        typer.echo(changed)
