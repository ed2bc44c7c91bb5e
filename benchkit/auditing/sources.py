"""What is lost together: a column, or a named group of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchkit.errors import RequestError
from benchkit.plugin.nearest_name import nearest_name


@dataclass(frozen=True)
class Source:
    """Columns that come from one place, and go together.

    Attributes
    ----------
    name : str
    columns : tuple of int
        Their positions.
    """

    name: str
    columns: tuple[int, ...]


def listed(names: Sequence[str], last: str = ", ") -> str:
    """Names in a row, in quotation marks where they hold a comma or an "and", which would make two of one."""
    shown = [f"'{name}'" if ", " in name or " and " in name else name for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])}{last}{shown[-1]}"


def make_sources(names: Sequence[str], groups: Mapping[str, Any] | None) -> list[Source]:
    """Every group as one source, and every other column as one of its own, in the order of the columns.

    Parameters
    ----------
    names : sequence of str
        The columns.
    groups : mapping of name to names of columns, or None

    Raises
    ------
    RequestError
        All that is wrong with the groups, in one line.
    """
    groups = groups or {}
    if not isinstance(groups, Mapping):
        raise RequestError(
            "sources: expected a mapping of names to lists of columns, such as {bureau: [income, score]}"
        )
    places = {name: place for place, name in enumerate(names)}
    owner: dict[int, str] = {}
    wrong = []
    for group, members in groups.items():
        if isinstance(members, str) or not isinstance(members, Sequence) or not members:
            wrong.append(f"{group} is {members!r}, expected a list of columns")
            continue
        for member in map(str, members):
            if member not in places:
                near = nearest_name(member, list(names))
                wrong.append(f"{group}: no column {member!r}" + (f" (is {near!r} meant?)" if near else ""))
            elif places[member] in owner:
                wrong.append(f"column {member!r} is in {owner[places[member]]} and in {group}")
            else:
                owner[places[member]] = str(group)
    if clash := [
        str(group) for group in groups if str(group) in places and owner.get(places[str(group)]) != str(group)
    ]:
        wrong.append(f"{clash[0]!r} is the name of a column that is not in the group")
    if wrong:
        raise RequestError("sources: " + "; ".join(wrong))
    members_of: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        members_of.setdefault(owner.get(place, name), []).append(place)
    return [Source(name, tuple(columns)) for name, columns in members_of.items()]
