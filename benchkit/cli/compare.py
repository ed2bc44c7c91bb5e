"""``benchkit compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli.interface.console import SOME_FAILED, print_error
from benchkit.cli.interface.json_answer import JsonOption, print_json
from benchkit.cli.interface.options import parse_names

if TYPE_CHECKING:
    from benchkit.cli.interface.console import Console
    from benchkit.report.compare_runs import RunComparison, Side

_LONGEST = 160  # characters of a value
_BEFORE = 40  # of them what comes before the first difference


def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN [RUN...]", help="Folders or bundles; the first is the reference.")
    ],
    metric: Annotated[
        str | None, typer.Option("--metrics", metavar="A,B,...", help="Only these metrics, or times.")
    ] = None,
    algorithms: Annotated[str | None, typer.Option(metavar="A,B,...", help="Only these algorithms.")] = None,
    datasets: Annotated[str | None, typer.Option(metavar="A,B,...", help="Only these datasets.")] = None,
    across_machines: Annotated[
        bool, typer.Option("--across-machines", help="Compare times even if the machines differ.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also list cells that do not differ.")] = False,
    form: Annotated[
        str, typer.Option("--format", metavar="text|json", help="How to print it; json has the rows of --json alone.")
    ] = "text",
    as_json: JsonOption = False,
    strict: Annotated[
        bool, typer.Option("--fail-on-regression", help="Exit with code 1 if any cell is significantly worse.")
    ] = False,
) -> None:
    """Compare runs: metrics side by side, paired tests where trials coincide, what differs in the environments."""
    from contextlib import ExitStack

    from benchkit.cli.interface.console import Console
    from benchkit.plugin.manager import UnknownNameError
    from benchkit.report.bundle import opened
    from benchkit.report.compare_runs import (
        IncomparableError,
        comparable_metrics,
        compare_runs,
        environment_differences,
        machine_differences,
        only_rows_of,
        same_suites,
    )
    from benchkit.report.stored_results import load_results

    form = "json" if as_json else form
    if form not in ("text", "json"):
        raise UnknownNameError("format", form, ("text", "json"))
    if len(runs) < 2:
        raise IncomparableError("compare needs two runs or more")
    wanted = parse_names(metric)
    console = Console(stderr=form == "json")
    comparisons: list[RunComparison] = []
    with ExitStack() as stack:
        loaded = [load_results(stack.enter_context(opened(run))) for run in runs]
        loaded = only_rows_of(loaded, parse_names(algorithms), parse_names(datasets))
        manifests = [results.manifest for results in loaded]
        differences = environment_differences(manifests)
        if form == "text":
            _print_environments(console, runs, differences)
        for alike in same_suites(loaded):
            found = compare_runs(alike, comparable_metrics(alike, wanted, across_machines))
            comparisons += found
            if form == "text":
                of_suite = f"{alike[0].suite}: " if loaded[0].members else ""
                for comparison, run in zip(found, runs[1:], strict=True):
                    _print_comparison(console, comparison, f"{of_suite}{run} against {runs[0]}", everything)
    if strict and (reasons := [each.unpaired for each in comparisons if each.unpaired]):
        raise IncomparableError(f"--fail-on-regression rests on paired tests: {reasons[0]}")
    worse = sum(len(each.worse) for each in comparisons)
    if form == "json":
        _print_json(comparisons, as_json, {"cells": 0, "worse": worse, "environments": dict(differences)})
    elif (machine := machine_differences(manifests)) and not across_machines:
        reason = f"times are not compared: {', '.join(machine)} differ; --across-machines compares them"
        console.print(reason, style="yellow", highlight=False)
    if strict and worse:
        print_error(f"{worse} cells are significantly worse" if worse > 1 else "1 cell is significantly worse")
        raise typer.Exit(SOME_FAILED)


def _print_json(found: list[RunComparison], whole: bool, summary: dict[str, object]) -> None:
    """The cells; with ``whole`` as an answer with what is said of all of them."""
    import json
    from dataclasses import asdict

    rows = [
        {"run": str(each.after.folder), "against": str(each.before.folder), **asdict(side)}
        for each in found
        for side in each.sides
    ]
    if whole:
        notes = [f"no paired tests: {each.unpaired}" for each in found if each.unpaired]
        print_json("compare", rows, {**summary, "cells": len(rows)}, notes)
    else:
        print(json.dumps(rows, indent=1, default=str))


def _print_environments(console: Console, runs: list[Path], differences: list[tuple[str, list[str]]]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not differences:
        console.print("same command, environment, source and suite")
        return
    table = Table(title="What differs", title_justify="left", title_style="bold")
    for heading in ("", *map(str, runs)):
        table.add_column(heading, overflow="fold")
    for key, values in differences:
        table.add_row(Text(key), *map(Text, _where_they_differ(values)))
    console.print(table)


def _where_they_differ(values: list[str]) -> list[str]:
    """Long values from shortly before their first difference on; they are whole with ``--json``."""
    columns = zip(*values, strict=False)
    alike = next((place for place, column in enumerate(columns) if len(set(column)) > 1), min(map(len, values)))
    start = max(0, alike - _BEFORE) if max(map(len, values)) > _LONGEST else 0
    parts = [value[start : start + _LONGEST] for value in values]
    return [
        ("..." if start else "") + part + ("..." if len(value) > start + _LONGEST else "")
        for part, value in zip(parts, values, strict=True)
    ]


def _print_comparison(console: Console, found: RunComparison, title: str, everything: bool) -> None:
    from benchkit.plugin.declarations import ReportTable
    from benchkit.report.renderers.terminal import terminal_tables

    console.print(f"\n{title}", style="bold", highlight=False)
    if found.unpaired:
        console.print(f"no paired tests: {found.unpaired}", style="yellow", highlight=False)
    if found.only_before or found.only_after:
        console.print(f"{found.only_before} cells only in the first run, {found.only_after} only in this one")
    for metric in dict.fromkeys(side.metric for side in found.sides):
        sides = [side for side in found.sides if side.metric == metric]
        differing = [side for side in sides if side.difference != 0]
        certain = [side for side in sides if side.significant]
        tested = (
            ""
            if found.unpaired
            else f", {len(certain)} significantly (Wilcoxon, Holm over the cells of an algorithm, p < 0.05)"
        )
        console.print(f"{metric}: {len(sides)} cells, {len(differing)} differ{tested}", highlight=False)
        shown = sides if everything else certain or sorted(differing, key=lambda side: -abs(side.difference))[:10]
        if not shown:
            continue
        table = ReportTable(
            title=metric if len(shown) == len(sides) else f"{metric}: {len(shown)} cells that differ",
            columns=("where", "algorithm", "first", "this", "difference", "p Holm"),
            rows=[_row(side) for side in shown],
            align=("text", "left", "right", "right", "right", "right"),
        )
        for part in terminal_tables(table, console.width):
            console.print(part, highlight=False)


def _row(side: Side) -> list[str]:
    from benchkit.report.formatting import number, p_value

    place = f"{side.axis_value:g}" if isinstance(side.axis_value, float) else str(side.axis_value)
    adversary = "" if side.adversary == "none" else f" under {side.adversary}"
    at = "" if side.axis_value is None else f", {side.axis} {place}"
    difference = f"{side.difference:+.3g}"
    if side.low is not None and side.low == side.low and side.high is not None:
        difference += f" [{side.low:+.3g}, {side.high:+.3g}]"
    where = f"{side.dataset}{adversary}{at}"
    p = "-" if side.holm is None else p_value(side.holm)
    return [where, side.algorithm, number(side.before), number(side.after), difference, p]
