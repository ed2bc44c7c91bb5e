"""A judgement in sentences and tables, as text, Markdown, LaTeX, JSON, a page of its own, and in a notebook."""

from __future__ import annotations

import base64
import io
import json
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from benchkit import ReportCell, ReportTable
from benchkit.document import Block, Document, Heading, Note, Picture, Table, Text
from benchkit.document.charts import COLOURS, MARKERS, WIDTH, styled
from benchkit.document.text import interval_text, number, p_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from benchkit_judge.judgement import Judgement


_NAMED = 6  # methods or pairs that a sentence names


def answers(judged: Judgement) -> list[str]:
    """What is to be known first."""
    methods, counts = judged.methods, judged.counts
    pairs = sum(counts.values())
    lines = []
    if judged.too_few:
        few = " and ".join(f"{n} {kind}" for kind, n in judged.question.counts.items() if n < judged.fewest)
        lines.append(
            f"Nothing can be told apart: with {few} even a method that is better on every one of them could be so by "
            f"chance; {judged.fewest} are the fewest that can tell."
        )
    first = [name for name, tier in zip(methods, judged.tiers["tier"], strict=True) if tier == 1]
    if len(first) == 1:
        lines.append(
            f"{first[0]} is best: it is told apart from all others."
            if judged.result.above[methods.index(first[0])].sum() == len(methods) - 1
            else f"{first[0]} alone may be the best: every other method is shown to be worse than some method."
        )
    elif len(first) == len(methods):
        lines.append(f"No two of the {len(methods)} methods can be told apart: {listed(first)}.")
    else:
        lines.append(
            f"{len(first)} of {len(methods)} methods may be the best, none is shown to be worse: {listed(first)}."
        )
    equal = f", {counts['equal']:,} practically equal (within {margin_text(judged)})" if judged.margin else ""
    lines.append(
        f"Of {pairs:,} pairs: {counts['decided']:,} decided{equal}, {counts['open']:,} open. "
        f"Neighbours in the ranking that can be told apart: {_neighbours(judged)} of {len(methods) - 1}."
    )
    missing = judged.question
    if missing.set_aside:
        lines.append(f"Not judged, since they lack too much: {listed(list(missing.set_aside))}.")
    return lines


def _neighbours(judged: Judgement) -> int:
    above = judged.result.above
    return sum(bool(above[place, place + 1]) for place in range(len(above) - 1))


def notes(judged: Judgement) -> list[str]:
    """How it was judged, what was guessed, what was left out."""
    asked, result = judged.question, judged.result
    confidence = f"{judged.level:.0%}"
    how = "all of them" if result.exact else "a group of them, drawn"
    lines = [
        f"{confidence} confidence holds for all pairs, tiers and ranks together: the largest of all differences is "
        f"compared with what it would be if chance alone decided who is ahead on each {' or '.join(asked.drawn)} "
        f"({result.patterns:,} sign patterns, {how}).",
        "No two methods of a tier can be told apart; each of a later tier is worse than some of the tier before. "
        "Methods of neighbouring tiers need not all differ.",
    ]
    if len(asked.drawn) > 1:
        lines.append("Two sources of chance are counted at once: half of every interval is for each.")
    if judged.without_interval:
        lines.append(
            f"{judged.without_interval:,} pairs have no interval, and are not called practically equal: they differ on "
            f"fewer than {judged.fewest} {' or '.join(asked.counts)}, which says nothing of how far they may on others."
        )
    left = asked.cells_before - len(asked.cells)
    if left:
        place = " x ".join(str(name) for name in asked.cells.index.names)
        lines.append(
            f"Of {asked.cells_before:,} rows ({place}) {left:,} lack some judged method's score and are left out for "
            "all; nothing is filled in. A score that is missing because a run failed is not missing by chance."
        )
    if asked.scores.several_metrics and asked.by == "mean":
        lines.append("Tasks are measured in different ways: a mean over them mixes units. --by ranks compares places.")
    if asked.scores.timings:
        lines.append(f"Times are compared as ratios, on one machine and task at a time; {judged.drift}.")
    if "seed" in asked.drawn:
        lines.append(
            "Runs on the same data say nothing of other data; folds that share rows are less independent than they are "
            "taken to be here."
        )
    if "task" not in asked.drawn and "task" in asked.cells.index.names:
        count = asked.cells.index.get_level_values("task").nunique()
        lines.append(f"This says nothing of other tasks: these {count} stay as they are, each with the same weight.")
    return [*lines, *(f"{line[0].upper()}{line[1:]}{'' if line[-1] in '.!?' else '.'}" for line in judged.told)]


def range_text(low: float, high: float, now: int) -> str:
    """How many more units would decide a pair."""
    if math.isnan(low):
        return "-"
    if math.isinf(low):
        return "more than a million, or none would"
    more = f"{_round(low - now):,}"
    return f"{more} or more; maybe none would" if math.isinf(high) else f"{more} to {_round(high - now):,}"


def _round(count: float) -> int:
    """Two digits are more than is known."""
    if count < 100:
        return int(count)
    digits = int(math.log10(count)) - 1
    return int(math.ceil(count / 10**digits) * 10**digits)


def margin_text(judged: Judgement) -> str:
    """The margin, as a share where times are compared."""
    if judged.margin is None:
        return "-"
    return f"{judged.margin:.2%}" if judged.question.scores.timings else f"{judged.margin:g}"


def difference_text(judged: Judgement, pair: pd.Series) -> str:
    """A pair's difference, or how many times as long the second takes."""
    return f"x{pair['difference']:.3g}" if judged.question.scores.timings else number(pair["difference"])


def listed(names: Sequence[str]) -> str:
    """``a, b and 3 more``."""
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


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


_SHORT = 34


def tiers_figure(judged: Judgement) -> Figure:
    """A line per method, best on top; tiers differ by colour and marker."""
    from matplotlib.figure import Figure

    table = judged.tiers
    with styled():
        figure = Figure(figsize=(WIDTH * 1.6, 0.7 + 0.19 * len(table)))
        axes = figure.subplots()
        for tier, rows in table.groupby("tier"):
            place = int(tier) - 1
            colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
            axes.hlines(rows["rank"], rows["from"], rows["to"], color=colour, lw=3, alpha=0.45)
            axes.plot(rows["rank"], rows["rank"], marker, color=colour, label=f"tier {tier}")
        names = [name if len(name) <= _SHORT else f"{name[: _SHORT - 3]}..." for name in map(str, table.index)]
        axes.set_yticks(table["rank"], names)
        for label in axes.get_yticklabels():
            label.set_parse_math(False)
        axes.set_ylim(len(table) + 0.6, 0.4)
        axes.set_xlabel(f"rank here (marker), and ranks it may have ({judged.level:.0%}, all at once)")
        if table["tier"].max() <= 8:
            axes.legend(loc="lower left")
    return figure


_PAIRS = 40  # rows of pairs where people read; JSON has all
_PAGE_PAIRS = 2000


def tables(judged: Judgement, pairs: int = _PAIRS) -> list[ReportTable]:
    """All tables, in the order in which they are read."""
    missing = missing_table(judged)
    made = [tiers_table(judged), pairs_table(judged, pairs), hidden_table(judged)]
    return made if missing is None else [*made, missing]


def document(judged: Judgement, pairs: int = _PAIRS, picture: bool = False) -> Document:
    """The answers, the tables, and how it was judged.

    Parameters
    ----------
    judged : Judgement
    pairs : int, default=40
        Rows of pairs at most.
    picture : bool, default=False
        Whether the figure of the tiers is held, too.
    """
    tiers, *others = tables(judged, pairs)
    blocks: list[Block] = [Heading("Answer"), Text(judged.question.text)]
    blocks += [Text(line, strong=True) for line in judged.answers]
    blocks += [Heading("Tiers"), Table(tiers)]
    blocks += [Picture("ranks that each method may have", _picture(judged))] * picture
    for table in others:
        blocks += [Heading(table.title), Table(table)]
    blocks += [Heading("How it was judged"), *(Note(f"- {line}") for line in judged.notes)]
    facts = f"{len(judged.methods)} methods · {judged.question.scores.measured}"
    facts += f" · margin {margin_text(judged)}" if judged.margin else ""
    return Document(judged.source, blocks, facts, name="judge")


def markdown(judged: Judgement) -> str:
    """As Markdown."""
    return document(judged).markdown()


def latex(judged: Judgement) -> str:
    """As LaTeX, which needs booktabs."""
    return document(judged).latex()


def html(judged: Judgement) -> str:
    """As one page that fetches nothing."""
    return document(judged, _PAGE_PAIRS, picture=True).html()


def text(judged: Judgement) -> str:
    """As the terminal shows it, without colour, 100 characters wide."""
    return document(judged).text()


def notebook(judged: Judgement) -> str:
    """Answers and tiers, as a notebook shows them."""
    from benchkit.document.html import notebook as as_notebook

    sentences: list[Block] = [Text(line) for line in [judged.question.text, *judged.answers]]
    more = Note("more in .pairs, .hidden, .missing, .notes and .plot()")
    return as_notebook(Document(judged.source, [*sentences, Table(tiers_table(judged)), more]))


def as_json(judged: Judgement) -> str:
    """As JSON: every pair, every method; what is not known or not finite is null."""
    asked = judged.question
    said = {
        "source": judged.source,
        "question": asked.text,
        "drawn": list(asked.drawn),
        "units": judged.result.units,
        "drawn_units": asked.counts,
        "by": asked.by,
        "measured": asked.scores.measured,
        "higher_is_better": asked.scores.higher_is_better,
        "timings": asked.scores.timings,
        "level": judged.level,
        "margin": judged.margin,
        "answers": judged.answers,
        "notes": judged.notes,
        "counts": judged.counts,
        "methods": judged.tiers.join(judged.hidden).reset_index().to_dict("records"),
        "pairs": judged.pairs.to_dict("records"),
        "missing": judged.missing.reset_index().to_dict("records"),
    }
    return json.dumps(_plain(said), indent=1, ensure_ascii=False) + "\n"


def _picture(judged: Judgement) -> str:
    """The figure as an address that holds it."""
    from benchkit.document.charts import styled

    buffer = io.BytesIO()
    with styled():
        judged.plot().savefig(buffer, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _plain(value: Any) -> Any:
    """What JSON knows."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


WRITERS: dict[str, Callable[[Judgement], str]] = {
    "text": text,
    "markdown": markdown,
    "latex": latex,
    "json": as_json,
    "html": html,
}
