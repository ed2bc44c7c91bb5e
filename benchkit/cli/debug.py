"""``benchkit debug``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchkit.cli.interface.console import print_json
from benchkit.cli.interface.options import OUT, JsonOption, OutOption, TrustOption


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
    name, params = repetition.trial.display_name, repetition.outcome["params"]
    metrics = repetition.outcome["metrics"]
    changed = "something that decides the outcome has changed since; 'benchkit plan --explain' says what"
    notes = [] if repetition.is_same else [changed]
    if as_json:
        rows = [{"metric": metric, "value": value, "before": before.get(metric)} for metric, value in metrics.items()]
        print_json("debug", rows, {"trial": name, "params": params, "same": repetition.is_same}, notes)
        return
    lines = [name, f"params: {params}"]
    for metric, value in metrics.items():
        lines.append(f"{metric}: {value}" + (f" (in the journal {before[metric]})" if metric in before else ""))
    print("\n".join(map(printable, [*lines, *notes])))
