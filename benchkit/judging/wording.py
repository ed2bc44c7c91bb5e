"""The judgement in sentences, for readers who never saw this project."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from benchkit.document.text import number

if TYPE_CHECKING:
    from benchkit.judging.judgement import Judgement

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
