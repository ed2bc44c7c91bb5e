"""What to guard: columns and pairs of columns in the order of harm, and how the model takes a gap in each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchkit_audit.estimates import Estimate, bare
from benchkit_audit.gaps import GAP
from benchkit_audit.lost import Lost
from benchkit_audit.measure import HARMLESS, Outcome, Relation
from benchkit_audit.pairs import LostPair
from benchkit_audit.wording import rise

_HALF = 0.5  # of the variance


@dataclass(frozen=True)
class Guarded:
    """Columns, or a source, to guard."""

    lost: tuple[str, ...]  # one, or a pair of which either is spared and not both
    cost: Estimate  # what the loss costs in the metric
    wrong_of_1000: float  # so many more answers are wrong; NaN of a regression
    missed_of_1000: float  # of these of the class that the metric looks for; NaN where it is not one of two
    stands_in: tuple[str, ...]  # what must not fail with it
    pair: Relation  # what both of a pair are to each other; nothing of one
    # How the model takes a gap: ``raises``, ``filled`` (imputed), ``learned`` (in these rows it surely errs more with
    # the mean in its place), ``open`` (these rows have gaps, and do not show that), or ``silent`` (it answers, and
    # neither an imputer nor gaps in these rows show that this is meant)
    gap: str
    decided: bool  # whether the loss is decided to cost something


def guard_list(outcome: Outcome) -> list[Guarded]:
    """What to guard: columns, then pairs, whose loss costs `Outcome.least` or more, what is sure first, then by cost.

    A pair stands there where both cost more than the sum, surely or not. A column whose interval reaches as far below
    0 as it costs, or further, is no more likely to cost than noise.
    """
    by, entries = 1000 if outcome.subject.task == "classification" else math.nan, list[Guarded]()
    pairs = {each.sources: (each, relation) for each in outcome.pairs if (relation := outcome.relation(each))}

    def add(lost: tuple[str, ...], each: Lost | LostPair, partners: Sequence[str], relation: Relation) -> None:
        wrong, gap, decided = by * each.errors, way_of_gap(outcome, lost), each.cost.above(0.0)
        entries.append(Guarded(lost, each.cost, wrong, by * each.missed, tuple(partners), relation, gap, decided))

    for each in outcome.columns:
        if each.cost.value >= outcome.least and not -math.inf < each.cost.low <= -each.cost.value:
            partners = [
                f"{name}{'?' if relation == 'open' else ''}"
                for two, (_, relation) in pairs.items()
                for name in two
                if each.source in two and name != each.source and relation != "together"
            ]
            add((each.source,), each, partners, "")
    for two, (pair, relation) in pairs.items():
        if relation != "open" or pair.excess.value >= outcome.added(pair):
            add(two, pair, (), relation)
    return sorted(entries, key=lambda entry: (not entry.decided, entry.pair != "", -entry.cost.value))


def way_of_gap(outcome: Outcome, names: Sequence[str]) -> str:
    """How the model takes gaps in some sources."""
    places = [place for each in outcome.sources if each.name in names for place in each.columns]
    ways, columns = ways_of_gaps(outcome), [outcome.subject.columns[place].name for place in places]
    return ", ".join(dict.fromkeys(ways[name] for name in columns if name in ways))


def ways_of_gaps(outcome: Outcome) -> dict[str, str]:
    """The same of every column.

    A model that was trained without gaps sends them anywhere, and gaps in the hold-out do not tell that training had
    some: it has learned them where it surely errs more with the mean in their place.
    """
    learned = {each.column: each.worse.above(0.0) for each in outcome.fillers if math.isnan(each.value)}
    readings = {each.column: each for each in outcome.gap_readings}
    columns = {each.name: each for each in outcome.subject.columns}
    ways = {}
    for each in outcome.faults:
        if each.kind == GAP:
            reading, values = readings.get(each.column), columns[each.column].values
            imputed = reading is not None and reading.how == "imputed"
            own = reading is not None and (reading.how == "own" or (imputed and reading.beyond))
            way = "filled" if imputed and not own else "silent"
            if own and values.isna().any():
                way = "learned" if learned.get(each.column) else "silent" if each.column in learned else "open"
            ways[each.column] = "raises" if each.raised else way
    return ways


def decisive_row(outcome: Outcome, values: np.ndarray) -> str:
    """Which row makes half of what numbers vary by, and how much, in words; empty where none does."""
    squares = np.square(values - values.mean())
    row, share = int(squares.argmax()), float(squares.max() / (squares.sum() or math.inf))
    if outcome.subject.metric.kind in ("shares", "labels") or share < _HALF or outcome.subject.numbers is None:
        return ""
    return f"Row {outcome.subject.numbers[row]} (the first is 0) alone makes {100 * share:.0f} % of the variance"


def least_cost(outcome: Outcome) -> str:
    """From which cost on a column is to guard, in words."""
    if outcome.least == HARMLESS * outcome.scale:
        return f"{rise(outcome.subject, bare(outcome.least))} or more"
    least = rise(outcome.subject, bare(outcome.least), 2)
    return f"{least} (a tenth of what the model surely gains over the constant answer) or more"
