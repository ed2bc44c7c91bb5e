"""What is peculiar of a user's table: columns that tell nothing of others, odd numbers, rows that belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchkit.data.columns import column_moments
from benchkit.suite.names import is_number

if TYPE_CHECKING:
    import pandas as pd

# A category has so many values at most, and so many rows of each, unless its values are few.
_MOST_VALUES, _FEWEST_ROWS, _FEW_VALUES = 200, 5, 20
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}( .*)?")
_NAMES_OF_ROWS = re.compile(r"(|unnamed.*|rownames?|row|index|id|(.*[_ .-])(id|nr|no)|.*[a-z]ID|ID)")
FEW_ROWS = 200
_RARE = 0.1


@dataclass(frozen=True)
class Fact:
    """A line of what is seen."""

    where: str  # a column, or rows, or the target
    what: str
    done: str  # by the suite


def is_numeric(column: pd.Series) -> bool:
    """Whether a column holds numbers; truth values are a category of two."""
    import pandas as pd

    return bool(pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype))


def texts_of(column: pd.Series) -> list[str]:
    """The different values of a column as texts, sorted."""
    return sorted({str(value).strip() for value in column.dropna().unique()})


def are_dates(column: pd.Series) -> bool:
    """Whether the values of a column are dates."""
    if column.dtype.kind in "mM":
        return True
    texts = [] if is_numeric(column) else texts_of(column)
    return len(texts) > 2 and all(map(_DATE.fullmatch, texts))


def useless_columns(frame: pd.DataFrame, target: str) -> list[Fact]:
    """Columns that tell nothing of other rows: without values, of one value, free text, dates, numbers of rows."""
    cases = len(frame.drop_duplicates())  # a row that is written twice has its number twice
    columns = {str(name): frame[name] for name in frame.columns.drop(target)}
    reasons = {name: _uselessness(name, column, cases) for name, column in columns.items()}
    return [Fact(name, reason, "left out") for name, reason in reasons.items() if reason]


def _uselessness(name: str, column: pd.Series, cases: int) -> str:
    """Why a column tells nothing of other rows; empty where it may."""
    known = column.dropna()
    different = known.nunique() if is_numeric(column) else len(texts_of(column))
    if different < 2:
        return "the same value in every row" if different else "no value in any row"
    if not is_numeric(column):
        if are_dates(column):
            return "dates"
        free = different > _MOST_VALUES or (different > _FEW_VALUES and len(known) < _FEWEST_ROWS * different)
        return f"{different} different texts in {len(known)} rows" if free else ""
    values = known.to_numpy(dtype=float)
    if len(known) < len(column) or different != cases or not np.array_equal(values, np.round(values)):
        return ""
    numbered = len(values) > 2 and bool((np.diff(values) > 0).all()) and values[-1] - values[0] < 20 * len(values)
    return "a number of its own for every row" if numbered or _NAMES_OF_ROWS.fullmatch(name) else ""


# With separators of thousands, a currency, or a per cent sign.
_WRITTEN_NUMBER = re.compile(r"[+-]?[$€£¥]?\s?[+-]?\d{1,3}(([.,' ]\d{3})+|\d*)([.,]\d+)?\s?[$€£¥%]?")
_FEWEST_CODES = 3
# Of a column of numbers, so many texts stand for "unknown".
_MOST_WORDS, _FEWEST_NUMBERS = 3, 3


def odd_numbers(frame: pd.DataFrame, target: str, dropped: Sequence[str]) -> Iterator[Fact]:
    """Numbers that a word such as ``unknown`` makes texts of, or that are written so, and codes among numbers."""
    for name in map(str, frame.columns.drop(target)):
        column, left_out = frame[name], name in dropped
        if is_numeric(column):
            yield from () if left_out else _codes(name, column.dropna())
            continue
        texts = [] if are_dates(column) else texts_of(column)
        words = [text for text in texts if not is_number(text)]
        if 0 < len(words) <= _MOST_WORDS and len(texts) - len(words) >= _FEWEST_NUMBERS:
            rows = int(column.astype(str).str.strip().isin(words).sum())
            what = f"numbers, but {' and '.join(map(repr, words))} in {rows} of {len(column)} rows"
            done = "left out" if left_out else "a category of each number"
            yield Fact(name, what, f"{done}: where that is missing ask again with --na-values {','.join(words)}")
        elif len(words) >= _FEWEST_NUMBERS and all(map(_WRITTEN_NUMBER.fullmatch, words)):
            done = "left out" if left_out else "a category of each"
            what = f"numbers written as texts, such as {words[0]!r}"
            yield Fact(name, what, f"{done}: write digits and a decimal point alone, and ask again")


def _codes(name: str, values: pd.Series) -> Iterator[Fact]:
    """999 for unknown."""
    for code in (values.min(), values.max()):
        rest = values[values != code]
        far = len(rest) and min(abs(code - rest.min()), abs(code - rest.max())) > np.ptp(rest) > 0
        if far and len(values) - len(rest) >= _FEWEST_CODES and re.fullmatch("-?9+", f"{code:g}"):
            what = f"{code:g} in {len(values) - len(rest)} rows, far from all other values"
            yield Fact(
                name, what, "taken for a number: where it means unknown, write empty fields there, and ask again"
            )


def row_facts(frame: pd.DataFrame, dropped: Sequence[str]) -> Iterator[Fact]:
    """Rows that are copies of others, and few rows. Rows that differ in what is left out need not be one case."""
    n = len(frame)
    copies = int(frame.drop(columns=list(dropped)).duplicated().sum())
    if copies:
        differ = copies - int(frame.duplicated().sum())
        but = f"{f', {differ} of them' if differ < copies else ''} but for {', '.join(dropped)}" if differ else ""
        done = "kept: a row may be tested whose copy was trained on; remove those that are one case written twice"
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


# A table has as many patients at least, and as many rows of one.
_FEWEST_GROUPS, _FEWEST_ROWS_OF_ONE = 5, 2
# Of a column that is called as an id is, so many rows must share theirs: many patients came once.
_SHARED = 0.2
# Texts of so many values are names, whatever the column is called.
_MANY = 20
_NAMED = (
    "patient|subject|person|individual|participant|respondent|user|customer|client|animal|machine|device|sensor|site|"
    "clinic|hospital|group|cluster"
)
# Of numbers these are as often amounts: years of schooling, people of a family, students of a district.
_ALSO_AMOUNTS = "household|family|school|student|pupil|employee|worker"
_NAMES = re.compile(
    rf"(^|[_\W])(id|ids|{_NAMED}|{_ALSO_AMOUNTS})s?($|[_\W]|(_?(id|no|nr|number|code|name)$))", re.IGNORECASE
)
# A number with such a word at its beginning measures it: customer_age.
_NAMES_OF_NUMBERS = re.compile(
    rf"(^|[_\W])((id|ids|{_NAMED})s?|({_NAMED}|{_ALSO_AMOUNTS})s?[_\W]?(id|no|nr|number|code))$", re.IGNORECASE
)


def repeated_id(frame: pd.DataFrame, target: str) -> str | None:
    """The column that most likely names what rows belong together by; None where none repeats like an id.

    It has no gaps. It is called as such columns are (``patient``, ``user_id``; of numbers neither ``customer_age`` nor
    ``school``, which may be years of it), and a fifth of the rows share their value with others; or it holds more than
    twenty different texts, nearly all of which repeat. Of several the one with the most values is taken, those with
    such a name first.
    """
    likely: list[tuple[bool, int, str]] = []
    for name in sorted(map(str, frame.columns.drop(target))):
        column = frame[name]
        texts = not is_numeric(column)
        named = (_NAMES if texts else _NAMES_OF_NUMBERS).search(name) is not None
        if not (named or texts) or column.isna().any() or are_dates(column):  # rows of a day are not of one patient
            continue
        counts = column.value_counts()
        alone = counts < _FEWEST_ROWS_OF_ONE
        repeats = counts[~alone].sum() > _SHARED * len(column) if named else alone.mean() < 0.2
        if repeats and len(counts) >= (_FEWEST_GROUPS if named else _MANY + 1):
            likely.append((named, len(counts), name))
    return max(likely, key=lambda each: each[:2])[2] if likely else None


@dataclass(frozen=True)
class Hint:
    """A split that may stand in place of the one by rows, because of a column."""

    kind: str  # groups, time, or unordered: dates that cannot be ordered as they are written
    column: str
    values: int  # how many different ones it has
    split: dict[str, Any]  # empty for unordered


# Of a split in time: parts of the rows, and how often.
_PART, _ORIGINS = 0.1, 4


def split_hints(frame: pd.DataFrame, target: str, repetitions: int) -> Iterator[Hint]:
    """What a table has that may call for another split than one by rows, drawn so many times."""
    if (name := repeated_id(frame, target)) is not None:
        parts = {"train": 0.5, "validation": 0.25, "test": 0.25}
        yield Hint("groups", name, frame[name].nunique(), {"groups": name, "repetitions": repetitions, **parts})
    in_order: list[Hint] = []
    unordered: list[Hint] = []
    for name in map(str, frame.columns.drop(target)):
        if not are_dates(frame[name]) or frame[name].isna().any():
            continue
        split = {"time": name, "test": _PART, "validation": _PART, "repetitions": _ORIGINS}
        try:
            moments = column_moments(frame[name].to_numpy(), name, "")
        except ValueError:
            unordered.append(Hint("unordered", name, 0, {}))
            continue
        if np.bincount(moments).max() <= _PART / 2 * len(moments):  # fine enough to cut such parts
            in_order.append(Hint("time", name, int(moments.max()) + 1, split))
    yield from sorted(in_order, key=lambda hint: -hint.values)[:1] or unordered[:1]
