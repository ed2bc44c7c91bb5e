"""Comments on a split by rows: what a table has that may call for another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchkit.data.columns import column_moments, find_column
from benchkit.plugin.declarations import Categories, Data
from benchkit.scaffold.ids import repeated_id
from benchkit.scaffold.table_facts import are_dates

# Of a split in time: parts of the rows, and how often.
_PART, _ORIGINS = 0.1, 4


def split_hints(data: Data, dropped: Sequence[str], repetitions: int) -> list[str]:
    """Lines of comments, each with the split that may stand in place of the one by rows; none where none is called for.

    Parameters
    ----------
    data : Data
    dropped : sequence of str
        Columns that the suite leaves out.
    repetitions : int
        Of the split by rows.
    """
    return [*_of_groups(data, dropped, repetitions), *_of_time(data)]


def _of_groups(data: Data, dropped: Sequence[str], repetitions: int) -> list[str]:
    """A word on rows that belong together, where a column repeats like an id."""
    if (found := repeated_id(data)) is None:
        return []
    left_out = _flow([*dropped, found.name])
    first = "" if found.name in dropped else f"leave the column out above (drop: {left_out}) and "
    split = {"groups": found.name, "repetitions": repetitions, "train": 0.5, "validation": 0.25, "test": 0.25}
    return [
        f"# {found.name} repeats like an id: {found.groups} values in {found.rows} rows. Where rows of one are alike,",
        "# a split by rows shows a method what it is tested on (docs/groups.md). To keep them on one side,",
        f"# {first}write in place of the line of the split below:",
        f"# split: {_flow(split)}",
    ]


def _of_time(data: Data) -> list[str]:
    """A word on rows that come after others, where a column of dates has room for as many parts."""
    found: dict[str, int] = {}
    unordered: list[str] = []
    for name in dict.fromkeys([*data.columns, *data.group_names, *map(str, data.feature_names)]):
        if name in (data.target_name, Data.FILE) or not are_dates(column := find_column(data, name)):
            continue
        try:
            moments = column_moments(column, name, "")
        except ValueError:
            unordered += [name] if _is_whole(column) else []
            continue
        if _has_room(moments):
            found[name] = int(moments.max())
    if found:
        name = max(found, key=lambda each: found[each])
        return [
            f"# {name} holds dates. Where a model is to judge rows that come later than those that it was trained on,",
            "# let it be tested so (docs/groups.md): write in place of the line of the split below:",
            f"# split: {_flow({'time': name, 'test': _PART, 'validation': _PART, 'repetitions': _ORIGINS})}",
        ]
    if unordered:
        return [
            f"# {unordered[0]} holds dates. To train on what came first and test on what came later (docs/groups.md),",
            "# write them as 2024-03-05.",
        ]
    return []


def _flow(value: Any) -> str:
    """As YAML on one line, whatever columns are called."""
    from benchkit.suite import yaml_text

    return yaml_text.write(value, width=1000, flow=True).strip()


def _is_whole(column: np.ndarray | Categories) -> bool:
    """Whether each row has its date."""
    return isinstance(column, Categories) and bool((column.codes >= 0).all())


def _has_room(moments: np.ndarray) -> bool:
    """Whether dates are fine enough to cut such parts: none has more than half of a part's rows."""
    return bool(np.bincount(moments).max() <= _PART / 2 * len(moments))
