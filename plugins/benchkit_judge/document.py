"""A judgement in sentences and tables, as text, Markdown, LaTeX, JSON, a page of its own, and in a notebook."""

from __future__ import annotations

import base64
import io
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchkit import ReportCell, ReportTable, TableError
from benchkit.document import Block, Document, Heading, Note, Picture, Table, Text
from benchkit.document.charts import COLOURS, MARKERS, WIDTH, styled
from benchkit.document.text import interval_text, number, p_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from benchkit_judge.judgement import Judgement

_NAMED = 6  # methods that a sentence names
_PAIRS, _PAGE_PAIRS = 40, 2000  # rows of pairs where people read; JSON has all
_SHORT = 34  # letters of a name in the figure
FORMS = ("text", "markdown", "latex", "json", "html")


def answers(judged: Judgement) -> list[str]:
    """What is to be known first."""
    methods, counts, above = judged.methods, judged.counts, judged.result.above
    lines = []
    if judged.too_few:
        few = " and ".join(f"{n} {kind}" for kind, n in judged.question.counts.items() if n < judged.fewest)
        lines.append(
            f"Nothing can be told apart: with {few} even a method that is better on every one of them could be so by "
            f"chance; {judged.fewest} are the fewest that can tell."
        )
    first = [name for name, tier in zip(methods, judged.tiers["tier"], strict=True) if tier == 1]
    if judged.question.against is not None:
        for verdict, words in (("better", "better than"), ("worse", "worse than"), ("open", "not told apart from")):
            names = list(judged.pairs["first"][judged.pairs["verdict"] == verdict])
            lines += [f"{len(names)} {words} {judged.question.against}: {_listed(names)}."] * bool(names)
    elif len(first) == 1:
        lines.append(
            f"{first[0]} is best: it is told apart from all others."
            if above[methods.index(first[0])].sum() == len(methods) - 1
            else f"{first[0]} alone may be the best: every other method is shown to be worse than some method."
        )
    elif len(first) == len(methods):
        lines.append(f"No two of the {len(methods)} methods can be told apart: {_listed(first)}.")
    else:
        lines.append(
            f"{len(first)} of {len(methods)} methods may be the best, none is shown to be worse: {_listed(first)}."
        )
    equal = f", {counts['equal']:,} practically equal (within {_margin(judged)})" if judged.margin else ""
    line = f"Of {sum(counts.values()):,} pairs: {counts['decided']:,} decided{equal}, {counts['open']:,} open."
    if judged.question.against is None:
        line += f" Neighbours in the ranking that can be told apart: {above.diagonal(1).sum()} of {len(methods) - 1}."
    lines.append(line)
    if judged.question.set_aside:
        lines.append(f"Not judged, since they lack too much: {_listed(list(judged.question.set_aside))}.")
    return lines


def notes(judged: Judgement) -> list[str]:
    """How it was judged, what was guessed, what was left out."""
    question, result = judged.question, judged.result
    index = question.cells.index
    lines = [
        f"{judged.level:.0%} confidence holds for all pairs, tiers and ranks together: {question.how(result)}.",
        "No two methods of a tier can be told apart; each of a later tier is worse than some of the tier before. "
        "Methods of neighbouring tiers need not all differ."
        if question.against is None
        else f"All are compared with {question.against} alone, step by step: of other pairs nothing is said.",
    ]
    if len(question.drawn) > 1:
        lines.append("Two sources of chance are counted at once: half of every interval is for each.")
    without = 0 if judged.too_few else int(judged.pairs["low"].eq(-math.inf).sum())
    if without:
        lines.append(
            f"{without:,} pairs have no interval, and are not called practically equal: they differ on fewer than "
            f"{judged.fewest} {' or '.join(question.counts)}, which says nothing of how far they may on others."
        )
    if left := question.cells_before - len(question.cells):
        lines.append(
            f"Of {question.cells_before:,} rows ({' x '.join(map(str, index.names))}) {left:,} lack some judged "
            "method's score and are left out for all; nothing is filled in. A score that is missing because a run "
            "failed is not missing by chance."
        )
    if question.scores.several_metrics and question.by == "mean":
        lines.append("Tasks are measured in different ways: a mean over them mixes units. --by ranks compares places.")
    if question.scores.timings:
        lines.append(f"Times are compared as ratios, on one machine and task at a time; {question.drift}.")
    if "seed" in question.drawn and question.scores.test_share is None:
        lines.append(
            "Runs on the same data say nothing of other data; folds that share rows are less independent than they are "
            "taken to be here, unless --test-share says what share of the rows each tests."
        )
    if "task" not in question.drawn and "task" in index.names:
        count = index.get_level_values("task").nunique()
        lines.append(f"This says nothing of other tasks: these {count} stay as they are, each with the same weight.")
    return [*lines, *(f"{line[0].upper()}{line[1:]}{'' if line[-1] in '.!?' else '.'}" for line in question.notes)]


def _margin(judged: Judgement) -> str:
    """The margin, as a share where times are compared."""
    return f"{judged.margin:.2%}" if judged.question.scores.timings else f"{judged.margin:g}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def _units_text(low: float, high: float, now: int) -> str:
    """How many more units would decide a pair; two digits are more than is known."""
    if math.isnan(low):
        return "-"
    if math.isinf(low):
        return "more than a million, or none would"

    def more(units: float) -> str:
        unit = 10 ** max(0, int(math.log10(units - now)) - 1)
        return f"{math.ceil((units - now) / unit) * unit:,}"

    return f"{more(low)} or more; maybe none would" if math.isinf(high) else f"{more(low)} to {more(high)}"


def _tiers_table(judged: Judgement) -> ReportTable:
    """Methods by tier, with the ranks that each may have."""
    what = "mean rank" if judged.question.by == "ranks" else f"mean {judged.question.scores.measured}"
    rows = []
    for row in judged.tiers.itertuples(name=None):
        name, tier, mean, rank, low, high = row
        span = str(low) if low == high else f"{low} to {high}"
        best = "best" if tier == 1 else ""
        rows.append([name, _cell(tier), ReportCell(number(mean), mean, best), _cell(rank), ReportCell(span, low)])
    return ReportTable(
        title="Tiers",
        columns=["method", "tier", what, "rank here", f"ranks it may have ({judged.level:.0%})"],
        rows=rows,
        align=("left", "right", "right", "right", "right"),
    )


def _cell(count: int) -> ReportCell:
    return ReportCell(str(count), count)


_VERDICTS = {"better": "first is better", "worse": "second is better", "equal": "practically equal", "open": "open"}


def _pairs_table(judged: Judgement, most: int) -> ReportTable:
    """All pairs, or where they are more than this, neighbours and pairs with the best, best first."""
    table = judged.pairs
    if len(table) > most and judged.question.against is None:
        place = {name: position for position, name in enumerate(judged.methods)}
        first, second = table["first"].map(place), table["second"].map(place)
        table = table[(second - first == 1) | (first == 0)]
    table = table.head(most)
    times = judged.question.scores.timings
    rows = []
    for pair in table.itertuples():
        difference = f"x{pair.difference:.3g}" if times else number(pair.difference)
        emphasis = "open" if pair.verdict == "open" else "good"
        rows.append(
            [
                str(pair.first),
                str(pair.second),
                ReportCell(_VERDICTS[pair.verdict], emphasis=emphasis),
                ReportCell(difference, float(pair.difference)),
                ReportCell(interval_text(pair.low, pair.high), float(pair.low)),
                ReportCell(p_value(pair.p), float(pair.p)),
                _units_text(pair.fewest, pair.most, judged.result.units),
            ]
        )
    left = len(judged.pairs) - len(rows)
    columns = ["first", "second", "verdict", judged.question.compared, "interval", "p"]
    if judged.question.independent:
        columns.append(f"more {next(iter(judged.question.counts))} that would decide it")
    return ReportTable(
        title="Pairs",
        columns=columns,
        rows=[row[: len(columns)] for row in rows],
        note=f"{left:,} more pairs are in --as json and in .pairs." if left else "",
        align=("left", "left", "left", *["right"] * (len(columns) - 3)),
    )


def _hidden_table(judged: Judgement) -> ReportTable:
    """What an average hides."""
    table = judged.question.by_task
    place = " and ".join(map(str, table.index.names))
    rows = [
        [
            name,
            ReportCell(f"{best_on:.3g}", best_on),
            where,
            ReportCell(number(score), score),
            ReportCell(number(best), best),
        ]
        for name, best_on, where, score, best in judged.hidden.itertuples(name=None)
    ]
    return ReportTable(
        title="What the average hides",
        columns=["method", f"best on, of {len(table):,}", f"worst {place}", "its score", "the best"],
        rows=rows,
        note=f"Worst: the {place} where it is furthest behind the best. Those who share a best place share it.",
        align=("left", "right", "left", "right", "right"),
    )


def tiers_figure(judged: Judgement) -> Figure:
    """A line per method, best on top; tiers differ by colour and marker."""
    from matplotlib.figure import Figure

    table = judged.tiers
    with styled():
        figure = Figure(figsize=(WIDTH * 1.6, 0.7 + 0.19 * len(table)))
        axes = figure.subplots()
        for tier, rows in table.groupby("tier"):
            colour, marker = COLOURS[(tier - 1) % len(COLOURS)], MARKERS[(tier - 1) % len(MARKERS)]
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
    blocks: list[Block] = [Heading("Answer"), Text(judged.question.text)]
    blocks += [Text(line, strong=True) for line in judged.answers]
    blocks += [Heading("Tiers"), Table(_tiers_table(judged))]
    if picture:
        buffer = io.BytesIO()
        with styled():
            judged.plot().savefig(buffer, format="svg", metadata={"Date": None})
        encoded = base64.b64encode(buffer.getvalue()).decode()
        blocks.append(Picture("ranks that each method may have", f"data:image/svg+xml;base64,{encoded}"))
    tables = [_pairs_table(judged, pairs), *([_hidden_table(judged)] if len(judged.hidden.columns) else [])]
    if len(judged.missing):
        rows = [list(map(str, row)) for row in judged.missing.itertuples(name=None)]
        columns = ["method", "cells", "what was done"]
        tables.append(ReportTable(title="Missing cells", columns=columns, rows=rows, align=("left", "right", "left")))
    for table in tables:
        blocks += [Heading(table.title), Table(table)]
    blocks += [Heading("How it was judged"), *(Note(f"- {line}") for line in judged.notes)]
    facts = f"{len(judged.methods)} methods · {judged.question.scores.measured}"
    facts += f" · margin {_margin(judged)}" if judged.margin else ""
    return Document(judged.source, blocks, facts, name="judge")


def notebook(judged: Judgement) -> str:
    """Answers and tiers, as a notebook shows them."""
    from benchkit.document.html import notebook as as_notebook

    sentences: list[Block] = [Text(line) for line in [judged.question.text, *judged.answers]]
    more = Note("more in .pairs, .hidden, .missing, .notes and .plot()")
    return as_notebook(Document(judged.source, [*sentences, Table(_tiers_table(judged)), more]))


def write(judged: Judgement, form: str) -> str:
    """The judgement in one of `FORMS`; JSON has every pair and every method, and null for what is not finite."""
    if form == "json":
        return json.dumps(_plain(_facts(judged)), indent=1, ensure_ascii=False) + "\n"
    if form == "html":
        return document(judged, _PAGE_PAIRS, picture=True).html()
    if form not in FORMS:
        raise TableError(f"unknown format {form!r}; there are {', '.join(FORMS)}")
    return str(getattr(document(judged), form)())


def _facts(judged: Judgement) -> dict[str, Any]:
    question = judged.question
    return {
        "source": judged.source,
        "question": question.text,
        "drawn": list(question.drawn),
        "units": judged.result.units,
        "drawn_units": question.counts,
        "by": question.by,
        "against": question.against,
        "test_share": question.scores.test_share,
        "measured": question.scores.measured,
        "higher_is_better": question.scores.higher_is_better,
        "timings": question.scores.timings,
        "level": judged.level,
        "margin": judged.margin,
        "answers": judged.answers,
        "notes": judged.notes,
        "counts": judged.counts,
        "methods": judged.tiers.join(judged.hidden).reset_index().to_dict("records"),
        "pairs": judged.pairs.to_dict("records"),
        "missing": judged.missing.reset_index().to_dict("records"),
    }


def _plain(value: Any) -> Any:
    """What JSON knows."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
