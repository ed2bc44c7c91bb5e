"""Numbers that are written as texts, and numbers that are codes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import numpy as np

from benchkit.data.columns import column_names, find_column
from benchkit.plugin.declarations import Categories, Data
from benchkit.scaffold.table_facts import Fact, are_dates
from benchkit.suite.names import is_number

# With separators of thousands, a currency, or a per cent sign.
_WRITTEN_NUMBER = re.compile(r"[+-]?[$€£¥]?\s?[+-]?\d{1,3}(([.,' ]\d{3})+|\d*)([.,]\d+)?\s?[$€£¥%]?")
_NINES = re.compile(r"-?9+")
_POSTCODE = re.compile(r"(^|[_\W])(zip|zip_?code|post_?code|postal_?code|plz)$", re.IGNORECASE)
_FEWEST_CODES = 3
# Of a column of numbers, so many texts stand for "unknown".
_MOST_WORDS, _FEWEST_NUMBERS = 3, 3


def worded_numbers(data: Data, left_out: Collection[str]) -> list[Fact]:
    """Columns of numbers that a word such as ``unknown`` makes texts of.

    Parameters
    ----------
    data : Data
    left_out : collection of str
        Columns that are left out as texts.
    """
    found = []
    for name, column in _texts(data):
        words = [str(text) for text in column.names if not is_number(str(text))]
        if not 0 < len(words) <= _MOST_WORDS or len(column.names) - len(words) < _FEWEST_NUMBERS:
            continue
        rows = int(np.isin(column.codes, [column.names.index(word) for word in words]).sum())
        done = "left out" if name in left_out else "a category of each number"
        found.append(
            Fact(
                name,
                f"numbers, but {' and '.join(map(repr, words))} in {rows} of {len(column.codes)} rows",
                f"{done}: where that is missing ask again with --na-values {','.join(words)}",
            )
        )
    return found


def numbers_as_texts(data: Data, left_out: Collection[str]) -> list[Fact]:
    """Columns of numbers that are written so that they are texts: ``2.947,18``, ``$1,060``.

    Parameters
    ----------
    data : Data
    left_out : collection of str
        Columns that are left out as texts.
    """
    found = []
    for name, column in _texts(data):
        texts = [str(text).strip() for text in column.names if not is_number(str(text))]
        if len(texts) < _FEWEST_NUMBERS or not all(_WRITTEN_NUMBER.fullmatch(text) for text in texts):
            continue
        done = "left out" if name in left_out else "a category of each"
        found.append(
            Fact(
                name,
                f"numbers written as texts, such as {texts[0]!r}",
                f"{done}: write digits and a decimal point alone, and ask again",
            )
        )
    return found


def unlikely_numbers(data: Data) -> list[Fact]:
    """Codes among the numbers of a column: 999 for unknown, a postcode."""
    found = []
    for name, places in zip(
        data.group_names or data.feature_names,
        data.groups or [[place] for place in range(data.X.shape[1])],
        strict=True,
    ):
        if len(places) > 1 or "=" in str(data.feature_names[places[0]]):
            continue
        values = data.X[:, places[0]]
        values = values[~np.isnan(values)]
        if _POSTCODE.search(str(name)):
            done = "taken for an amount: leave it out (drop), or write a letter before each, and ask again"
            found.append(Fact(str(name), "a postcode, which is read as a number", done))
        for code in (values.min(), values.max()) if len(values) else ():
            rest = values[values != code]
            far = len(rest) and min(abs(code - rest.min()), abs(code - rest.max())) > np.ptp(rest) > 0
            rows = len(values) - len(rest)
            if far and rows >= _FEWEST_CODES and _NINES.fullmatch(f"{code:g}"):
                found.append(
                    Fact(
                        str(name),
                        f"{code:g} in {rows} rows, far from all other values",
                        "taken for a number: where it means unknown, write empty fields there, and ask again",
                    )
                )
    return found


def _texts(data: Data) -> Iterator[tuple[str, Categories]]:
    """Columns of texts to predict by, dates left out."""
    for name in column_names(data):
        column = find_column(data, name)
        if name != data.target_name and isinstance(column, Categories) and not are_dates(column):
            yield name, column
