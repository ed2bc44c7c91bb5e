"""``benchkit compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli.interface.console import SOME_FAILED, json_answer, print_error
from benchkit.cli.interface.options import JsonOption, argument, flag, option, parse_names

if TYPE_CHECKING:
    from benchkit.report.compare_runs import RunComparison


def compare(
    runs: Annotated[list[Path], argument("RUN [RUN...]", "Folders; the first is the reference.")],
    metric: Annotated[str | None, option("--metrics", "A,B,...", "Only these metrics, such as fit_seconds.")] = None,
    algorithms: Annotated[str | None, option("--algorithms", "A,B,...", "Only these algorithms.")] = None,
    datasets: Annotated[str | None, option("--datasets", "A,B,...", "Only these datasets.")] = None,
    across_machines: Annotated[bool, flag("--across-machines", "Compare times even if the machines differ.")] = False,
    everything: Annotated[bool, flag("--all", "Also list cells that do not differ.")] = False,
    as_json: JsonOption = False,
    strict: Annotated[
        bool, flag("--fail-on-regression", "Exit with code 1 if any cell is significantly worse.")
    ] = False,
) -> None:
    """Compare runs: metrics side by side, paired tests where trials coincide, what differs in the environments."""
    from dataclasses import asdict

    from benchkit.document.terminal import Console, show
    from benchkit.errors import RequestError
    from benchkit.report.compare_runs import (
        comparable_metrics,
        compare_runs,
        comparison_document,
        environment_differences,
        environment_document,
        machine_differences,
        same_suites,
    )
    from benchkit.report.stored_results import load

    if len(runs) < 2:
        raise RequestError("compare needs two runs or more")
    console = Console(quiet=as_json)
    comparisons: list[RunComparison] = []
    loaded = [load(run).only(parse_names(algorithms), parse_names(datasets)) for run in runs]
    manifests = [results.manifest for results in loaded]
    differences = environment_differences(manifests)
    show(environment_document(list(map(str, runs)), differences), console)
    for alike in same_suites(loaded):
        compared = compare_runs(alike, comparable_metrics(alike, parse_names(metric), across_machines))
        comparisons += compared
        of_suite = f"{alike[0].suite}: " if loaded[0].members else ""
        for comparison, run in zip(compared, runs[1:], strict=True):
            show(comparison_document(comparison, f"{of_suite}{run} against {runs[0]}", everything), console)
    if strict and (reasons := [comparison.unpaired for comparison in comparisons if comparison.unpaired]):
        raise RequestError(f"--fail-on-regression rests on paired tests: {reasons[0]}")
    worse = sum(len(comparison.worse) for comparison in comparisons)
    if as_json:
        rows = [
            {"run": str(comparison.after.folder), "against": str(comparison.before.folder), **asdict(side)}
            for comparison in comparisons
            for side in comparison.sides
        ]
        notes = [note for comparison in comparisons for note in comparison.notes]
        summary = {"cells": len(rows), "worse": worse, "environments": dict(differences)}
        print(json_answer("compare", rows, summary, notes))
    elif (machine := machine_differences(manifests)) and not across_machines:
        reason = f"times are not compared: {', '.join(machine)} differ; --across-machines compares them"
        console.print(reason, style="yellow", highlight=False)
    if strict and worse:
        print_error(f"{worse} cells are significantly worse" if worse > 1 else "1 cell is significantly worse")
        raise typer.Exit(SOME_FAILED)
