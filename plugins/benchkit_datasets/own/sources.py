"""Columns of a table that come from one source, and fail together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchkit import Data

Sources = Mapping[str, Sequence[str]]
"""From the name of a source to its columns of the table."""


def with_sources(data: Data, sources: Sources | None, where: str) -> Data:
    """The data with a group for each source, of all columns and one-hot blocks that come from it.

    Parameters
    ----------
    data : Data
        Of a table: its groups, where it has any, are the table's columns.
    sources : mapping of str to sequence of str, optional
    where : str
        For messages.

    Raises
    ------
    ValueError
        A source names no column of features, one that another source has, or is named as another column is.
    """
    if sources is None:
        return data
    if not isinstance(sources, Mapping) or not sources:
        raise ValueError(f"{where}: sources is {sources!r}, expected names with lists of columns, {{bureau: [income]}}")
    blocks: dict[str, list[int]] = {}
    named: Any = zip(data.group_names, data.groups, strict=True) if data.group_names else None
    for name, group in named or ((name, [place]) for place, name in enumerate(data.feature_names)):
        blocks[str(name)] = [int(place) for place in group]
    taken = _owners(blocks, sources, where)
    groups = {name: [place for column in columns for place in blocks[column]] for name, columns in sources.items()}
    if data.group_names:
        groups |= {name: block for name, block in blocks.items() if name not in taken}
    ordered = sorted(groups.items(), key=lambda group: min(group[1]))
    return replace(
        data,
        groups=[sorted(group) for _, group in ordered],
        group_names=[name for name, _ in ordered],
        one_hot=[block for block in blocks.values() if len(block) > 1],
    )


def _owners(blocks: Mapping[str, Sequence[int]], sources: Sources, where: str) -> dict[str, str]:
    """The source of each column that has one."""
    owners: dict[str, str] = {}
    for source, columns in sources.items():
        if isinstance(columns, str) or not isinstance(columns, Sequence) or not columns:
            raise ValueError(f"{where}: the source {source!r} is {columns!r}, expected a list of columns")
        for column in columns:
            if column not in blocks:
                shown = ", ".join([*blocks][:20]) + (", ..." if len(blocks) > 20 else "")
                raise ValueError(f"{where}: the source {source!r} names {column!r}; the columns are {shown}")
            if column in owners:
                both = f"{owners[column]!r} and {source!r}" if owners[column] != source else f"{source!r} twice"
                raise ValueError(f"{where}: column {column!r} is in the source {both}: a column has one source")
            owners[column] = source
    for source in sources:
        if source in blocks and owners.get(source) != source:
            raise ValueError(f"{where}: the source {source!r} has the name of a column that is not in it")
    return owners
