"""Which rows were run again, and which are of a suite at reduced size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from html import escape
from typing import Any

from benchkit.plugin.declarations import ReportCell as Cell
from benchkit.published.rows import PublishedRow
from benchkit.published.site.pieces import Row, details, table
from benchkit.published.site.shell import shell
from benchkit.published.stored import Stored
from benchkit.report.page.section import Section

_REDUCED = "quick"


def rechecked_trials(stored: Stored) -> dict[str, list[str]]:
    """The dates on which each trial was run again; rechecks that did not note their trials are not among them."""
    dates: dict[str, list[str]] = defaultdict(list)
    for recheck in stored.index["rechecks"]:
        for trial in recheck.get("trials", ()):
            dates[trial].append(str(recheck["date"]))
    return dict(dates)


def size_mark(profile: str) -> str:
    """``reduced size`` where a profile is."""
    return "reduced size" if profile == _REDUCED else ""


def checked_page(stored: Stored) -> str:
    """What came of running rows again, and which they were, suite by suite and row by row."""
    index = stored.index
    dates = rechecked_trials(stored)
    by_suite: dict[tuple[str, str], list[Any]] = defaultdict(list)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for row in stored.all_rows():
        contribution = index["contributions"][row["contribution"]]
        where = contribution["suite"], contribution["profile"]
        counts[where] += 1
        if row["trial"] in dates:
            by_suite[where].append(row)
    overview: list[Row] = [
        [
            f"{suite} ({profile})",
            Cell(f"{counts[suite, profile]:,}", counts[suite, profile]),
            Cell(str(len(by_suite[suite, profile])), len(by_suite[suite, profile])),
            f"{len(by_suite[suite, profile]) / counts[suite, profile]:.1%}",
            size_mark(profile),
        ]
        for suite, profile in sorted(counts)
    ]
    listed = "".join(
        details(
            f"{suite} ({profile}): {len(rows)} rows",
            table(["row", "repetition", "run again on"], [_row(row, dates) for row in rows], "left"),
        )
        for (suite, profile), rows in sorted(by_suite.items())
        if rows
    )
    unknown = sum("trials" not in each for each in index["rechecks"])
    told = sum(map(len, by_suite.values()))
    lead = f"{told:,} of {sum(counts.values()):,} published rows were run again"
    caution = (
        f'<p class="caution">{unknown} of {len(index["rechecks"])} rechecks did not note which rows they drew: theirs '
        "are not among these.</p>"
        if unknown
        else ""
    )
    sections = [
        Section("What came of it", _outcomes(index["rechecks"])),
        Section(
            "How many, by suite",
            caution + table(["suite", "rows", "run again", "share", "size"], overview, "left"),
        ),
        Section("Which rows", listed or "<p>None that is noted.</p>"),
        Section(
            "Check more",
            f"<p>Rows are drawn at random by a seed, which stands in the index: <code>{escape('benchkit recheck DIR')}"
            " --share 0.02</code> draws others.</p>",
        ),
    ]
    return shell("Rows run again", lead, sections, here="checked.html")


def _row(row: PublishedRow, dates: Mapping[str, list[str]]) -> Row:
    place = "" if row["axis_value"] is None else f", {row['axis']} {row['axis_value']}"
    text = f"{row['algorithm']} on {row['dataset']} under {row['adversary']}{place}"
    return [text, Cell(str(row["repetition"]), row["repetition"]), ", ".join(dict.fromkeys(dates[row["trial"]]))]


def _outcomes(rechecks: list[dict[str, Any]]) -> str:
    if not rechecks:
        return "<p>No part was run again yet (<code>benchkit recheck</code>).</p>"
    header = ["date", "rows run again", "agree", "differ", "could not be run", "consistency check", "what differs"]
    rows: list[Row] = []
    for each in rechecks:
        told = [str(each.get(key, "-")) for key in ("date", "rows", "agree", "differ", "not_run", "audit_failures")]
        rows.append([*told, "; ".join(map(str, each.get("differences") or ())) or "-"])
    return table(header, rows, "left")
