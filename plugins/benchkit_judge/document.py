"""A judgement in sentences and tables, as text, Markdown, LaTeX, JSON, a page of its own, and in a notebook."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from benchkit import ReportCell, ReportTable, TableError, json_answer
from benchkit.document import Bars, Block, Document, Heading, Note, Table, Text
from benchkit.document.text import interval_text, number, p_value
from benchkit.statistics.ranking import tukey_quantile
from benchkit_judge.all_pairs import fewest_units

if TYPE_CHECKING:
    from benchkit_judge.judgement import Judgement

_NAMED = 6  # methods that a sentence names
_PAIRS, _PAGE_PAIRS = 40, 2000  # rows of pairs where people read; JSON has all
FORMS = ("text", "markdown", "latex", "json", "html")


def answers(judged: Judgement) -> list[str]:
    """What is to be known first."""
    question, methods, counts, above = judged.question, judged.methods, judged.counts, judged.result.above
    lines = []
    if judged.too_few:
        lines.append(
            f"No methods can be told apart: with {judged.result.units} {question.kind} even a method that is better on "
            f"all of them could be so by chance; {fewest_units(judged.level)} are the fewest that can tell."
        )
    first = [name for name, tier in zip(methods, judged.tiers["tier"], strict=True) if tier == 1]
    if question.against is not None:
        for verdict, words in (("better", "better than"), ("worse", "worse than"), ("open", "not told apart from")):
            names = list(judged.pairs["first"][judged.pairs["verdict"] == verdict])
            lines += [f"{len(names)} {words} {question.against}: {_listed(names)}."] * bool(names)
    elif len(first) == 1 and above[methods.index(first[0])].sum() == len(methods) - 1:
        lines.append(f"{first[0]} is best: it is told apart from all others.")
    elif len(first) == 1:
        lines.append(f"{first[0]} alone may be the best: every other method is shown to be worse than some method.")
    elif len(first) == len(methods) and above.any():
        lines.append("No method is best: each of the first tier is worse than another, in a circle.")
    elif len(first) == len(methods):
        lines.append(f"No two of the {len(methods)} methods can be told apart: {_listed(first)}.")
    else:
        shown = f"{len(first)} of {len(methods)} methods may be the best, none is shown to be worse"
        lines.append(f"{shown}: {_listed(first)}.")
    equal = f", {counts['equal']:,} practically equal (within {judged.margin:g})" if judged.margin else ""
    pairs = sum(counts.values())
    line = f"Of {pairs:,} pair{'s' * (pairs != 1)}: {counts['decided']:,} decided{equal}, {counts['open']:,} open."
    if question.against is None:
        apart = (above | above.T).diagonal(1).sum()
        line += f" Neighbours in the ranking that can be told apart: {apart} of {len(methods) - 1}."
    lines.append(line)
    if question.set_aside:
        lines.append(f"Not judged, since they lack too much: {_listed(list(question.set_aside))}.")
    return [*lines, _next_step(judged)]


def _next_step(judged: Judgement) -> str:
    """What to do about what is open, in one sentence."""
    kind, now = judged.question.kind, judged.result.units
    if judged.too_few:
        return f"Next: add {kind}, until there are {fewest_units(judged.level)} at least."
    undecided = judged.pairs[judged.pairs["verdict"] == "open"]
    if undecided.empty:
        return "Next: nothing; every pair is decided."
    pair = undecided.iloc[0]
    names = f"{pair['first']} and {pair['second']}"
    if math.isfinite(pair["likely"]):
        return f"Next: to tell {names} apart, add {_more(pair['likely'], now)} {kind} or so; or take either."
    if math.isnan(pair["fewest"]):
        return f"Next: {names} are open: take either, or bring other data."
    needed = _units_text(pair["fewest"], pair["likely"], pair["most"], now)
    return f"Next: take either of {names}. More {kind} that would tell them apart: {needed}."


def notes(judged: Judgement) -> list[str]:
    """How it was judged, what was guessed, what was left out."""
    question, result = judged.question, judged.result
    index = question.cells.index
    lines = [
        f"{100 * judged.level:g}% confidence holds for all pairs, tiers and ranks together: {question.how(result)}."
    ]
    lines.append(
        "No two methods of a tier can be told apart; each of a later tier is worse than some of the tier before. "
        "Methods of neighbouring tiers need not all differ."
        if question.against is None
        else f"All are compared with {question.against} alone, step by step: of other pairs nothing is said."
    )
    lines.append(
        f"A method's interval ({100 * judged.level:g}%) is for its mean alone; pairs are judged by their differences, "
        "whether such intervals overlap or not."
    )
    without = int(judged.pairs[["low", "high"]].isin([-math.inf, math.inf]).any(axis=1).sum())
    if without and not judged.too_few:
        lines.append(
            f"Pairs without an interval, which are not called practically equal: {without:,}. Too few {question.kind} "
            "on which they differ, or differences that are all the same, do not say by how much they may on others."
        )
    if question.by == "wilcoxon":
        lines.append(
            "Order, tiers and effects are by signed ranks; means, and the differences shown, are of scores, and may "
            "point the other way. Methods that beat each other in a circle are of one tier."
        )
    plain = question.by == "mean" and question.kind not in ("clusters", "splits") and not judged.too_few
    two = sorted({*question.as_scores(question.values.to_numpy()).ravel().tolist()})
    if plain and len(two) == 2 and two != [0, 1]:
        lines.append(f"All scores are {two[0]:g} or {two[1]:g}: intervals take it that no others occur.")
    if left := question.cells_before - len(question.cells):
        lines.append(
            f"Of {question.cells_before:,} rows ({' x '.join(map(str, index.names))}) {left:,} lack some judged "
            "method's score and are left out for all; nothing is filled in. A score that is missing because a run "
            "failed is not missing by chance."
        )
    if question.scores.several_metrics and question.by == "mean":
        lines.append("Tasks are measured in different ways: a mean over them mixes units. --by=ranks compares places.")
    if question.drawn == "seed" and question.scores.test_share is None:
        lines.append(
            "Runs on the same data say nothing of other data; folds that share rows are less independent than they are "
            "taken to be here, unless --test-share says what share of the rows each tests."
        )
    if question.drawn != "task" and "task" in index.names:
        count = index.get_level_values("task").nunique()
        lines.append(f"This says nothing of other tasks: these {count} stay as they are, each with the same weight.")
    return [*lines, *(f"{line[0].upper()}{line[1:]}{'' if line[-1] in '.!?' else '.'}" for line in question.notes)]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def _more(units: float, now: int) -> str:
    unit = 10 ** max(0, int(math.log10(units - now)) - 1)
    return f"{math.ceil((units - now) / unit) * unit:,}"


def _units_text(low: float, likely: float, high: float, now: int) -> str:
    """How many more units would decide a pair, and the range of that; two digits are more than is known."""
    if math.isnan(low):
        return "-"
    if math.isinf(low):
        return "more than a million, or none would"
    about = "" if math.isinf(likely) else f"about {_more(likely, now)}"
    if math.isfinite(high):
        return f"{about} ({_more(low, now)} to {_more(high, now)})"
    return f"{about}{'; ' * bool(about)}{_more(low, now)} or more; maybe none would"


def _tiers_table(judged: Judgement) -> ReportTable:
    """Methods by tier, with the ranks that each may have."""
    what = "mean rank" if judged.question.by == "ranks" else f"mean {judged.question.scores.measured}"
    rows = []
    for name, tier, mean, below, over, rank, low, high in judged.tiers.itertuples(name=None):
        cell = ReportCell(number(mean), mean, "best" if tier == 1 else "")
        ranks = ReportCell(str(low) if low == high else f"{low} to {high}", low)
        interval = ReportCell(interval_text(below, over), below)
        rows.append([name, ReportCell(str(tier), tier), cell, interval, ReportCell(str(rank), rank), ranks])
    columns = ["method", "tier", what, "its interval", "rank", f"ranks it may have ({100 * judged.level:g}%)"]
    return ReportTable(title="Tiers", columns=columns, rows=rows, align=("left", *["right"] * 5))


_EFFECTS = ("negligible", "small", "medium", "large")  # below 0.2, 0.5, 0.8 standard deviations (Cohen 1988)
_VERDICTS = {"better": "first is better", "worse": "second is better", "equal": "practically equal", "open": "open"}


def _pairs_table(judged: Judgement, most: int) -> ReportTable:
    """All pairs, or where they are more than this, neighbours and pairs with the best, best first."""
    table = judged.pairs
    if len(table) > most and judged.question.against is None:
        place = {name: position for position, name in enumerate(judged.methods)}
        first, second = table["first"].map(place), table["second"].map(place)
        table = table[(second - first == 1) | (first == 0)]
    table = table.head(most)
    independent, rows = judged.question.kind != "splits", []
    for pair in table.itertuples():
        row = [
            str(pair.first),
            str(pair.second),
            ReportCell(_VERDICTS[pair.verdict], emphasis="open" if pair.verdict == "open" else "good"),
            ReportCell(number(pair.difference), float(pair.difference)),
            ReportCell(interval_text(pair.low, pair.high), float(pair.low)),
            ReportCell(p_value(pair.p), float(pair.p)),
        ]
        if independent:
            size = sum(abs(pair.effect) >= bound for bound in (0.2, 0.5, 0.8))
            row.append(ReportCell(f"{_EFFECTS[size]} ({abs(pair.effect):.2f})", float(pair.effect)))
            needed = _units_text(pair.fewest, pair.likely, pair.most, judged.result.units)
            row += [f"{pair.ahead:,}, {pair.alike:,}", needed]
        rows.append(row)
    columns = ["first", "second", "verdict", "difference", "interval", "p"]
    if independent:
        units = judged.result.units
        columns += ["effect", f"ahead, alike of {units:,}", f"more {judged.question.kind} that would decide it"]
    left = len(judged.pairs) - len(rows)
    note = f"{left:,} more pairs are in --as json and in .pairs." if left else ""
    align = ("left", "left", "left", *["right"] * (len(columns) - 3))
    return ReportTable(title="Pairs", columns=columns, rows=rows, note=note, align=align)


def planned(asked: float, level: float = 0.95) -> list[dict[str, float]]:
    """Before data: the smallest difference that so many items show, or the items that show a difference below one.

    With Tukey's critical value q of all pairs, and z for a power of 80 %, n = (q + z)^2 v / d^2. The variance v of a
    difference on one item is 1, so that d is in standard deviations, or s - d^2 of right and wrong answers, where two
    methods disagree on a share s of the items.
    """
    rows = []
    for methods in (2, 5, 10, 20):
        q2 = (tukey_quantile(level, methods) + NormalDist().inv_cdf(0.8)) ** 2
        for share in (0.05, 0.1, 0.2, 0.4, math.nan):
            variance = 1.0 if math.isnan(share) else share
            if asked >= 1:
                items = asked
                difference = math.sqrt(q2 * variance / (items if math.isnan(share) else items + q2))
                difference = difference if items >= fewest_units(level) and difference <= variance else math.inf
            else:
                difference, spread = asked, variance - (0 if math.isnan(share) else asked**2)
                items = max(fewest_units(level), math.ceil(q2 * spread / asked**2)) if asked <= variance else math.inf
            rows.append({"methods": methods, "disagree": share, "items": items, "difference": difference})
    return rows


def plan_document(asked: float, level: float) -> Document:
    """What so many items can show, or how many show a difference."""
    rows = planned(asked, level)
    shares, found = [row["disagree"] for row in rows[:5]], "difference" if asked >= 1 else "items"
    lines = []
    for begin in range(0, len(rows), len(shares)):
        part = rows[begin : begin + len(shares)]
        numbers = [f"{row[found]:.2g}" if asked >= 1 else f"{row[found]:,.0f}" for row in part]
        lines.append([f"{part[0]['methods']:.0f}", *("-" if number == "inf" else number for number in numbers)])
    shown = f"Items that show a difference of {asked:g}"
    shown = f"The smallest difference that {asked:,.0f} items show" if asked >= 1 else shown
    text = (
        f"{shown}, of all pairs of so many methods together ({100 * level:g}% confidence), in four of five tables: of "
        "right or wrong answers, by the share of items on which two methods disagree; of other scores, where the "
        "difference is in standard deviations (sd) of the two methods' differences on items."
    )
    columns = ["methods", *(f"{share:.0%} disagree" for share in shares[:-1]), "in sd"]
    table = ReportTable(title="Plan", columns=columns, rows=lines, align=tuple(["right"] * len(columns)))
    return Document("plan", [Heading("Plan"), Text(text), Table(table)], name="judge")


def document(judged: Judgement, pairs: int = _PAIRS) -> Document:
    """The answers, the tables of so many pairs at most, and how it was judged."""
    blocks: list[Block] = [Heading("Answer"), Text(judged.question.text)]
    blocks += [Text(line, strong=True) for line in judged.answers]
    ranks = [
        (str(name), float(rank), float(low), float(high), "", f"{rank} ({low} to {high})")
        for name, rank, low, high in judged.tiers[["rank", "from", "to"]].itertuples(name=None)
    ]
    shown = f"rank here, and ranks it may have ({100 * judged.level:g}%, all at once)"
    blocks += [Heading("Tiers"), Bars(ranks, shown), Table(_tiers_table(judged))]
    tables = [_pairs_table(judged, pairs)]
    if len(judged.missing):
        rows = [list(map(str, row)) for row in judged.missing.itertuples(name=None)]
        columns = ["method", "cells", "what was done"]
        tables.append(ReportTable(title="Missing cells", columns=columns, rows=rows, align=("left", "right", "left")))
    for table in tables:
        blocks += [Heading(table.title), Table(table)]
    blocks += [Heading("How it was judged"), *(Note(f"- {line}") for line in judged.notes)]
    line = f"{len(judged.methods)} methods · {judged.question.scores.measured}"
    line += f" · margin {judged.margin:g}" if judged.margin else ""
    return Document(judged.source, blocks, line, name="judge")


def notebook(judged: Judgement) -> str:
    """Answers and tiers, as a notebook shows them."""
    from benchkit.document.html import notebook as as_notebook

    sentences: list[Block] = [Text(line) for line in [judged.question.text, *judged.answers]]
    more = Note("more in .pairs, .missing and .notes")
    return as_notebook(Document(judged.source, [*sentences, Table(_tiers_table(judged)), more]))


def write(judged: Judgement, form: str) -> str:
    """The judgement in one of `FORMS`; JSON has every pair and every method, and null for what is not finite."""
    if form == "json":
        plain = json.loads(json_answer("judge", [], facts(judged)))["summary"]
        return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
    if form not in FORMS:
        raise TableError(f"unknown format {form!r}; there are {', '.join(FORMS)}")
    return str(getattr(document(judged, _PAGE_PAIRS if form == "html" else _PAIRS), form)())


def facts(judged: Judgement) -> dict[str, Any]:
    """All that is said, by name."""
    question = judged.question
    return {
        "source": judged.source,
        "question": question.text,
        "drawn": [question.drawn],
        "units": judged.result.units,
        "drawn_units": {question.kind: judged.result.units},
        "by": question.by,
        "against": question.against,
        "test_share": question.scores.test_share,
        "measured": question.scores.measured,
        "higher_is_better": question.scores.higher_is_better,
        "level": judged.level,
        "margin": judged.margin,
        "answers": judged.answers,
        "notes": judged.notes,
        "counts": judged.counts,
        "methods": judged.tiers.reset_index().to_dict("records"),
        "pairs": judged.pairs.to_dict("records"),
        "missing": judged.missing.reset_index().to_dict("records"),
    }
