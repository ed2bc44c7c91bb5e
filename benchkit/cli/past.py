"""``benchkit merge``, ``debug`` and ``sync``: runs that have ended."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.console import SOME_FAILED, json_answer, mistake, print_error
from benchkit.cli.interface.options import (
    OUT,
    JsonOption,
    OutOption,
    PluginOption,
    TrackerOption,
    TrustOption,
    argument,
    flag,
    registry_with,
)


def merge(
    runs: Annotated[list[Path], argument("RUN...", "Runs of one suite, such as its shards.")], out: OutOption = OUT
) -> None:
    """Join separate runs of one suite, such as shards, into one run."""
    from benchkit.cli.interface.show_results import print_collection, print_results
    from benchkit.report.analysis import Analysis
    from benchkit.session.past import merge as join

    results = join(runs, out=out)
    if results.members:
        print_collection(results)
    else:
        print_results(Analysis(results))


def debug(
    trial: Annotated[str, argument("TRIAL", "A trial's id, or the beginning of it.")],
    out: OutOption = OUT,
    postmortem: Annotated[bool, flag("--pdb", "Start the debugger where the error is raised.")] = False,
    as_json: JsonOption = False,
    trust: TrustOption = False,
) -> None:
    """Repeat one trial in this process, with its exact seed and data; an error shows its traceback."""
    from benchkit.document.text import printable
    from benchkit.session.past import debug as repeat

    try:
        repetition = repeat(trial, out=out, postmortem=postmortem, trust=trust)
    except Exception as error:
        if mistake(error) is not None:
            raise
        trace = error.__traceback__
        while trace and trace.tb_next and trace.tb_frame.f_globals["__name__"].startswith("benchkit."):
            trace = trace.tb_next  # what leads to the method's own code
        traceback.print_exception(error.with_traceback(trace))
        raise typer.Exit(SOME_FAILED) from None
    before = (repetition.before or {}).get("metrics", {})
    name, params = repetition.trial.display_name, repetition.outcome["params"]
    metrics = repetition.outcome["metrics"]
    changed = "something that decides the outcome has changed since; 'benchkit plan --explain' says what"
    notes = [] if repetition.is_same else [changed]
    if as_json:
        rows = [{"metric": metric, "value": value, "before": before.get(metric)} for metric, value in metrics.items()]
        print(json_answer("debug", rows, {"trial": name, "params": params, "same": repetition.is_same}, notes))
        return
    lines = [name, f"params: {params}"]
    for metric, value in metrics.items():
        lines.append(f"{metric}: {value}" + (f" (in the journal {before[metric]})" if metric in before else ""))
    print("\n".join(map(printable, [*lines, *notes])))


def sync(
    run: Annotated[Path, argument("RUN", "A suite's folder (its newest run) or a run's folder.")],
    tracker: TrackerOption = None,
    plugin: PluginOption = None,
) -> None:
    """Send a finished run to MLflow, if that was down or is another server (MLFLOW_TRACKING_URI)."""
    from benchkit.plugin.declarations.exchanged import TrackingError
    from benchkit.session.past import sync as send

    try:
        outcomes = send(run, print_error, tracker or True, registry_with(plugin))
    except TrackingError as error:
        print_error(str(error))
        raise typer.Exit(SOME_FAILED) from None
    for outcome, sent, place in outcomes:
        print(f"{sent.suite} {sent.id}: {outcome} ({place})")
