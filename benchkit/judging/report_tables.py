"""The judgement as tables, alike on the terminal, in Markdown, LaTeX and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.document.text import interval_text, number, p_value
from benchkit.judging.wording import difference_text, range_text
from benchkit.plugin.declarations import ReportCell, ReportTable

if TYPE_CHECKING:
    from benchkit.judging.judgement import Judgement

_VERDICTS = {"better": "first is better", "worse": "second is better", "equal": "practically equal", "open": "open"}
_EMPHASIS = {"better": "good", "worse": "good", "equal": "good", "open": "open"}


def tiers_table(judged: Judgement) -> ReportTable:
    """Methods by tier, with the ranks that each may have."""
    what = "mean rank" if judged.question.by == "ranks" else f"mean {judged.question.scores.measured}"
    rows = [
        [
            name,
            ReportCell(str(int(row["tier"])), int(row["tier"])),
            ReportCell(number(row["mean"]), float(row["mean"]), "best" if row["tier"] == 1 else ""),
            ReportCell(str(int(row["rank"])), int(row["rank"])),
            ReportCell(_span(int(row["from"]), int(row["to"])), int(row["from"])),
        ]
        for name, row in judged.tiers.iterrows()
    ]
    return ReportTable(
        title="Tiers",
        columns=["method", "tier", what, "rank here", f"ranks it may have ({judged.level:.0%})"],
        rows=rows,
        align=("left", "right", "right", "right", "right"),
    )


def pairs_table(judged: Judgement, most: int | None = None) -> ReportTable:
    """Pairs of neighbours in the ranking, or every pair.

    Parameters
    ----------
    judged : Judgement
    most : int, optional
        Rows; by default all pairs, else neighbours and pairs with the best, those that are nearest to it first.
    """
    table = judged.pairs
    if most is not None and len(table) > most:
        place = {name: position for position, name in enumerate(judged.methods)}
        first, second = table["first"].map(place), table["second"].map(place)
        table = table[(second - first == 1) | (first == 0)].head(most)
    times = judged.question.scores.timings
    units = f"more {next(iter(judged.question.counts))} that would decide it"
    rows = []
    for _, pair in table.iterrows():
        verdict = str(pair["verdict"])
        rows.append(
            [
                str(pair["first"]),
                str(pair["second"]),
                ReportCell(_VERDICTS[verdict], emphasis=_EMPHASIS[verdict]),
                ReportCell(difference_text(judged, pair), float(pair["difference"])),
                ReportCell(interval_text(pair["low"], pair["high"]), float(pair["low"])),
                ReportCell(p_value(pair["p"]), float(pair["p"])),
                range_text(pair["fewest"], pair["most"], judged.result.units),
            ]
        )
    left = len(judged.pairs) - len(rows)
    note = f"{left:,} more pairs are in --as json and in .pairs." if left else ""
    return ReportTable(
        title="Pairs",
        columns=["first", "second", "verdict", "ratio" if times else "difference", "interval", "p", units],
        rows=rows,
        note=note,
        align=("left", "left", "left", "right", "right", "right", "right"),
    )


def hidden_table(judged: Judgement) -> ReportTable:
    """What an average hides."""
    names = judged.question.by_task.index.names
    place = " and ".join(str(name) for name in names)
    rows = [
        [
            str(name),
            ReportCell(f"{row['best on']:.3g}", float(row["best on"])),
            row["worst place"],
            ReportCell(number(row["score there"]), float(row["score there"])),
            ReportCell(number(row["best there"]), float(row["best there"])),
        ]
        for name, row in judged.hidden.iterrows()
    ]
    return ReportTable(
        title="What the average hides",
        columns=["method", f"best on, of {len(judged.question.by_task):,}", f"worst {place}", "its score", "the best"],
        rows=rows,
        note=f"Worst: the {place} where it is furthest behind the best. Those who share a best place share it.",
        align=("left", "right", "left", "right", "right"),
    )


def missing_table(judged: Judgement) -> ReportTable | None:
    """What is missing; None where nothing is."""
    if not len(judged.missing):
        return None
    rows = [[str(name), int(row.iloc[0]), str(row.iloc[1])] for name, row in judged.missing.iterrows()]
    return ReportTable(
        title="Missing cells", columns=["method", "cells", "what was done"], rows=rows, align=("left", "right", "left")
    )


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
