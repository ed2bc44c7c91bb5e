"""Two runs side by side: what differs in their making, and the paired difference of every cell."""

from __future__ import annotations

from pathlib import Path

from benchkit.dashboard.addresses import HOME, run_address
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.compare_runs import (
    RunComparison,
    Side,
    comparable_metrics,
    compare_runs,
    environment_differences,
    machine_differences,
    same_suites,
)
from benchkit.report.formatting import interval_text, number, p_value
from benchkit.report.page.frame import framed
from benchkit.report.page.section import Section, of_panels, of_table
from benchkit.report.renderers.html import render
from benchkit.report.stored_results import load_results

_MOST_CELLS = 400
_LONGEST = 300
_OF_MEANS = 5  # columns that need no pairs


def two_runs(first: Path, later: Path) -> str:
    """The page: the later run against the first.

    Parameters
    ----------
    first, later : Path
        Folders of runs.

    Raises
    ------
    BenchkitError
        They cannot be read, or not be compared.
    """
    loaded = [load_results(folder) for folder in (first, later)]
    manifests = [results.manifest for results in loaded]
    sections: list[Section | None] = [Section("What is compared", _which(first, later))]
    for alike in same_suites(loaded):
        of_suite = f": {alike[0].suite}" if loaded[0].members else ""
        for found in compare_runs(alike, comparable_metrics(alike, None, False)):
            if found.unpaired:
                notes = [f"Only means can be compared{of_suite}: {found.unpaired}"]
                sections.append(Section(f"No paired tests{of_suite}", render("page/notes.html", body="", notes=notes)))
            sections += _compared(found, of_suite)
    differing = environment_differences(manifests)
    rows = [[key, *(value[:_LONGEST] for value in values)] for key, values in differing]
    table = ReportTable(columns=["", "first", "later"], rows=rows)
    nothing = Section("What differs", render("page/notes.html", body="", notes=["same command, environment and suite"]))
    sections.append(of_table(table, "What differs", kind="claims") if rows else nothing)
    machine = machine_differences(manifests)
    if machine:
        notes = [f"Times are not compared: {', '.join(machine)} differ"]
        sections.append(Section("Times", render("page/notes.html", body="", notes=notes)))
    facts = f"{later.parent.name} {later.name} against {first.parent.name} {first.name}"
    return framed("Two runs side by side", facts, [section for section in sections if section is not None], HOME)


def _which(first: Path, later: Path) -> str:
    rows = [
        [ReportCell(folder.parent.name, href=run_address(folder.parent.name, folder.name)), folder.name, said]
        for folder, said in ((first, "first"), (later, "later: its difference from the first is shown"))
    ]
    section = of_table(ReportTable(columns=["suite", "run", "which"], rows=rows), kind="claims")
    assert section is not None
    return section.html


def _compared(found: RunComparison, of_suite: str) -> list[Section | None]:
    metrics = list(dict.fromkeys(side.metric for side in found.sides))
    tables = [_table(metric, [side for side in found.sides if side.metric == metric], found) for metric in metrics]
    notes = [] if found.unpaired else [_PAIRED]
    if found.only_before or found.only_after:
        notes.append(f"{found.only_before} cells only in the first run, {found.only_after} only in the later one")
    if not tables:
        notes = ["The runs have no cell in common"]
        return [Section(f"Differences{of_suite}", render("page/notes.html", body="", notes=notes))]
    return [of_panels(f"Differences{of_suite}", tables, opened=True, kind="means", notes=notes)]


_PAIRED = (
    "Paired by repetition; 95 % intervals; in bold where p is below 0.05 by Wilcoxon's test after Holm's correction "
    "over the cells of an algorithm: did this algorithm change?"
)


def _table(metric: str, sides: list[Side], found: RunComparison) -> ReportTable:
    ordered = sorted(sides, key=lambda side: (not side.significant, -abs(side.difference)))
    changed = sum(side.difference != 0 for side in sides)
    certain = "" if found.unpaired else f", {sum(side.significant for side in sides)} significantly"
    cut = f"; the {_MOST_CELLS} largest are shown" if len(sides) > _MOST_CELLS else ""
    columns = ["where", "algorithm", "first", "later", "difference", "95 % interval", "p (Holm)", "pairs"]
    shown = _OF_MEANS if found.unpaired else len(columns)
    return ReportTable(
        title=f"{metric}: {len(sides)} cells, {changed} differ{certain}{cut}",
        columns=columns[:shown],
        rows=[_row(side)[:shown] for side in ordered[:_MOST_CELLS]],
    )


def _row(side: Side) -> list[ReportCell | str | None]:
    place = f"{side.axis_value:g}" if isinstance(side.axis_value, float) else str(side.axis_value)
    where = side.dataset + ("" if side.adversary == "none" else f" under {side.adversary}")
    where += "" if side.axis_value is None else f", {side.axis} {place}"
    known = side.low is not None and side.high is not None
    return [
        where,
        side.algorithm,
        ReportCell(number(side.before), side.before),
        ReportCell(number(side.after), side.after),
        ReportCell(f"{side.difference:+.3g}", side.difference, emphasis="significant" if side.significant else ""),
        interval_text(side.low, side.high) if known else None,  # type: ignore[arg-type]
        None if side.holm is None else ReportCell(p_value(side.holm), side.holm),
        str(side.n) if side.n else None,
    ]
