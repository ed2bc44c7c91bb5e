"""What is peculiar of a user's table: columns that tell nothing of others, odd numbers, rows that belong together."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.data import leaks

if TYPE_CHECKING:
    import pandas as pd

# A category has so many values at most, and so many rows of each, unless its values are few.
_MOST_VALUES, _FEWEST_ROWS, _FEW_VALUES = 200, 5, 20
FEW_ROWS = 200
_RARE = 0.1


@dataclass(frozen=True)
class Fact:
    """A line of what is seen."""

    where: str  # a column, or rows, or the target
    what: str
    done: str  # by the suite


def facts_of(
    frame: pd.DataFrame,
    target: str,
    groups: str | None,
    at_random: bool,
    regression: bool,
    useless: Sequence[Fact],
    of_rows: Sequence[Fact],
) -> tuple[list[Fact], list[str], str | None]:
    """All that is peculiar of a table, what is known of it included, the columns to leave out, and those of `groups`.

    Where no column of ``groups`` was named, one that likely says whose rows they are is taken unless ``at_random``.
    """
    dropped = [fact.where for fact in useless]
    odd = list(odd_numbers(frame, target, dropped))
    plain = frame.drop(columns=[fact.where for fact in odd if fact.where != groups])
    owner, asked = groups or leaks.repeated_id(plain, target), groups is not None
    # Names of kinds, such as towns, have no digits; numbers and codes of owners have.
    if (
        owner
        and not at_random
        and (leaks.is_called_id(plain[owner]) or plain[owner].astype(str).str.contains(r"\d").all())
    ):
        groups = owner if plain[owner].nunique() > _FEW_VALUES else groups  # of fewer each part would have too few
    kept = plain.drop(columns=[target, *dropped], errors="ignore")
    of_groups = list(group_facts(plain, target, owner, groups, asked, dropped) if owner else kind_facts(kept))
    left_out = [fact.where for fact in of_groups[groups is None :] if not fact.done.startswith("kept")]
    dropped += [name for name in left_out if name not in dropped]
    closer = [
        *odd,
        *time_facts(frame, target, owner, groups),
        *of_groups,
        *telling_facts(frame, target, dropped, regression),
    ]
    seen_closer = {fact.where for fact in closer}
    facts = [*(fact for fact in useless if fact.where not in seen_closer), *closer, *of_rows]
    facts += [
        *row_facts(frame, dropped, groups),
        *(() if regression else rare_classes(target, frame[target].value_counts())),
    ]
    return facts, dropped, groups


def useless_columns(frame: pd.DataFrame, target: str) -> list[Fact]:
    """Columns that tell nothing of other rows: without values, of one value, free text, dates, numbers of rows."""
    cases = len(frame.drop_duplicates())  # a row that is written twice has its number twice
    columns = {str(name): frame[name] for name in frame.columns.drop(target)}
    reasons = {name: _uselessness(name, column, cases) for name, column in columns.items()}
    return [Fact(name, reason, "left out") for name, reason in reasons.items() if reason]


def _uselessness(name: str, column: pd.Series, cases: int) -> str:
    """Why a column tells nothing of other rows; empty where it may."""
    filled = column.dropna()
    different = filled.nunique() if leaks.is_numeric(column) else len(leaks.texts_of(column))
    if different < 2:
        return "the same value in every row" if different else "no value in any row"
    if not leaks.is_numeric(column):
        if leaks.are_dates(column):
            return "dates"
        free = different > _MOST_VALUES or (different > _FEW_VALUES and len(filled) < _FEWEST_ROWS * different)
        known = " with a value" * (len(filled) < len(column))
        return f"{different} different texts in {len(filled)} rows{known}" if free else ""
    return "a number of its own for every row" if leaks.numbers_rows(name, column, cases) else ""


def odd_numbers(frame: pd.DataFrame, target: str, dropped: Sequence[str]) -> Iterator[Fact]:
    """Numbers that a word such as ``unknown`` makes texts of."""
    for name in map(str, frame.columns.drop(target)):
        column = frame[name]
        if words := leaks.words_among_numbers(column):
            rows = int(column.astype(str).str.strip().isin(words).sum())
            what = f"numbers, but {' and '.join(map(repr, words))} in {rows} of {len(column)} rows"
            done = "left out" if name in dropped else "a category of each number"
            listed = shlex.quote(",".join(words))
            yield Fact(name, what, f"{done}: where that is missing ask again with --na-values {listed}")


def row_facts(frame: pd.DataFrame, dropped: Sequence[str], groups: str | None) -> Iterator[Fact]:
    """Rows that are copies of others, and few rows. Rows that differ in what is left out need not be one case."""
    n, copies = len(frame), leaks.count_copies(frame, dropped)
    if groups is not None:  # copies within one stay on one side of the split
        copies -= leaks.count_copies(frame, [name for name in dropped if name != groups])
    if copies:
        differ = copies - int(frame.duplicated().sum())
        apart = ", ".join(dropped) or "a number of the row"
        but = f"{f', {differ} of them' if differ < copies else ''} but for {apart}" if differ else ""
        done = "kept: a tested row may have a copy in the training part; remove rows that are one case written twice"
        yield Fact("rows", f"{copies} of {n} are copies of others{but}", done)
    if n < FEW_ROWS:
        yield Fact("rows", f"only {n}", "more repetitions; intervals stay wide, whatever is repeated")


def is_rare(counts: pd.Series) -> bool:
    """Whether a class is so rare that the share of errors says little."""
    return bool(counts.min() / counts.sum() < min(_RARE, 0.5 / len(counts)))


def rare_classes(target: str, counts: pd.Series) -> Iterator[Fact]:
    """What a share of errors says of classes of which one is rare."""
    if is_rare(counts):
        rare = counts.min() / counts.sum()
        hidden = "errors on so few rows hardly change the share of all errors"
        if len(counts) == 2:
            hidden = f"always answering {counts.idxmax()} has an error of {rare:.1%} only"
        what = f"{rare:.1%} of the rows are of class {counts.idxmin()}"
        yield Fact(target, what, f"{hidden}: balanced_accuracy is the first metric")


GROUPED = {"train": 0.5, "validation": 0.25, "test": 0.25}
"""Parts of a split by groups, of rows."""


def group_facts(
    frame: pd.DataFrame, target: str, owner: str, groups: str | None, asked: bool, dropped: Sequence[str]
) -> Iterator[Fact]:
    """The column that names whose rows they are, asked for or likely, and those to leave out that name the same."""
    what = f"{frame[owner].nunique():,} different values in {len(frame):,} rows"
    done = f"rows of one stay on one side of a split (groups: {groups}), and {groups} is left out of the features"
    if not asked:
        what = f"looks like an id: {what}"
        done += "; to keep it, and split rows at random, ask again with --no-groups"
    if groups is None:
        kept = "left out" if owner in dropped else "a feature like any other"
        done = (
            f"{kept}, and rows are split at random. If rows of one {owner} are alike, ask again with --groups {owner}"
        )
    yield Fact(owner, what, done)
    for other, seen, is_sure in leaks.other_names(frame, owner, map(str, frame.columns.drop(target))):
        yield Fact(other, seen, "left out" if is_sure else "kept: leave it out (drop) if it is only a code")


def kind_facts(features: pd.DataFrame) -> Iterator[Fact]:
    """Texts of many values that repeat, which new rows may not have: a town, a greenhouse."""
    for name, column in features.items():
        if not leaks.is_numeric(column) and len(values := leaks.texts_of(column)) > _FEW_VALUES:
            done = f"kept: if the question is about a new {name}, ask again with --groups {name}"
            yield Fact(str(name), f"{len(values)} different texts", done)


def time_facts(frame: pd.DataFrame, target: str, owner: str | None, groups: str | None) -> Iterator[Fact]:
    """What says when rows were, by which a split may be made in the order of time."""
    times = leaks.row_times(frame, target, owner)
    if times is not None:
        kept = "left out" if times.left_out else "kept"
        drawn = "rows are split at random" if groups is None else f"the split draws {groups} at random"
        yield Fact(times.where, times.what, f"{kept}, and {drawn}; {times.remedy}")


def telling_facts(frame: pd.DataFrame, target: str, dropped: Sequence[str], regression: bool) -> Iterator[Fact]:
    """Columns that tell the target."""
    for leak in leaks.telling(frame, target, dropped, regression):
        kept = f"kept: scores will mostly show how well methods read {leak.where}"
        yield Fact(leak.where, leak.what, f"{kept}; {leak.remedy}")
