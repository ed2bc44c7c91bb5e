"""Columns whose values repeat as the names of patients, machines or customers do."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from benchkit.data.columns import column_codes, find_column
from benchkit.plugin.declarations import Categories, Data
from benchkit.scaffold.table_facts import are_dates

# A table has as many patients at least, and as many rows of one.
_FEWEST_GROUPS, _FEWEST_ROWS = 5, 2
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
# Whatever it is called before that, where its numbers have as many digits as codes have and amounts seldom.
_CODES = re.compile(r"(^|[_\W])(id|ids|nr|no|num|number|nummer|key|code)$", re.IGNORECASE)
_LEAST_CODE = 100_000


@dataclass(frozen=True)
class RepeatedId:
    """A column that names what rows are of.

    Attributes
    ----------
    name : str
    groups, rows : int
        How many different values it has, in how many rows.
    """

    name: str
    groups: int
    rows: int


def repeated_id(data: Data) -> RepeatedId | None:
    """The column that most likely names what rows belong together by; None where none repeats like an id.

    It has no gaps. It is called as such columns are (``patient``, ``user_id``; of numbers neither ``customer_age`` nor
    ``school``, which may be years of it; whatever ends in ``_nr`` where all numbers have six digits or more), and a
    fifth of the rows share their value with others; or it holds more than twenty different texts, nearly all of which
    repeat. Of several the one with the most values is taken, those with such a name first.
    """
    found = []
    names = {*data.columns, *data.group_names, *map(str, data.feature_names)}
    for name in sorted(names - {data.target_name, Data.FILE}):
        column = find_column(data, name)
        texts = isinstance(column, Categories)
        named = (_NAMES if texts else _NAMES_OF_NUMBERS).search(name) is not None
        if not named and not texts and _CODES.search(name):
            named = bool((np.asarray(column, dtype=float) >= _LEAST_CODE).all())
        if not named and not texts:
            continue
        if are_dates(column):  # rows of a day are not of one patient
            continue
        codes = column_codes(column)
        if len(codes) == 0 or codes.min() < 0:
            continue
        counts = np.bincount(codes)
        alone = counts < _FEWEST_ROWS
        repeats = counts[~alone].sum() > _SHARED * len(codes) if named else alone.mean() < 0.2
        if repeats and len(counts) >= (_FEWEST_GROUPS if named else _MANY + 1):
            found.append((named, len(counts), RepeatedId(name, len(counts), len(codes))))
    return max(found, key=lambda each: each[:2])[2] if found else None
