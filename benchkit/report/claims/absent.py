"""What a claim names and was not judged on: methods, data sets, adversaries and places without a value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from benchkit.report.claims.forms import Check, Curves, metric_values
from benchkit.report.statistics.points import Record, curve_name

Compared = Mapping[tuple[str, ...], Sequence[Record]]
"""What each comparison of a claim, of one algorithm or of two, was judged on."""


def compared_by(expectation: Mapping[str, Any], checks: Iterable[Check]) -> Compared:
    """The records that each comparison of a claim was judged on; none where it was not."""
    if expectation["algorithm"] is not None:
        return {(expectation["algorithm"],): [row for each in checks for row in each.basis.rows]}
    order = expectation["order"]
    pairs = pairwise(order) if order is not None else combinations(expectation["alike"], 2)
    compared: dict[tuple[str, ...], list[Record]] = {pair: [] for pair in pairs}
    by_names = {frozenset(pair): rows for pair, rows in compared.items()}
    for each in checks:
        by_names[frozenset(row["algorithm"] for row in each.basis.rows)] += each.basis.rows
    return compared


def lacking_data_sets(algorithms: Curves, names: Sequence[str], metric: str) -> Iterator[str]:
    """Data sets of a group that one of a claim's algorithms has no value on, also where no other has."""
    rows_of = {name: [row for rows in algorithms.get(name, {}).values() for row in rows] for name in names}
    known = dict.fromkeys(curve_name(row) for rows in rows_of.values() for row in rows)
    for name, rows in rows_of.items():
        parts = {part for _, part in metric_values(rows, metric)}
        absent = [part for part in known if part not in parts]
        if parts and absent:
            yield f"of {name} on {listed(absent)}"


def never_compared(compared: Compared, with_value: Collection[str]) -> Iterator[str]:
    """Of what a claim compares, what no check speaks of."""
    apart = [pair for pair, rows in compared.items() if not rows]
    without = dict.fromkeys(name for pair in apart for name in pair if name not in with_value)
    if without:
        yield f"of {', '.join(without)}"
    yield from (f"that {' and '.join(pair)} share" for pair in apart if all(name in with_value for name in pair))


_NAMED = (("datasets", "dataset", "on"), ("groups", "group", "on"), ("adversaries", "adversary", "under"))


def not_judged_at(
    expectation: Mapping[str, Any], compared: Compared, learned_nothing: Sequence[Record]
) -> Iterator[str]:
    """Where a claim that names places speaks of more than was judged, or left out since nothing is learned there."""
    judged = {names: rows for names, rows in compared.items() if rows}
    for key, field, word in (*_NAMED, ("at", "axis_value", "at")):
        absent: dict[tuple[tuple[str, ...], ...], list[Any]] = defaultdict(list)
        for value in expectation[key] or ():
            lacking = [
                names
                for names, rows in judged.items()
                if all(row.get(field) != value for row in (*rows, *learned_nothing))
            ]
            if lacking:
                absent[tuple(lacking)].append(value)
        for pairs, values in absent.items():
            of = "" if len(pairs) == len(judged) else f"of {', '.join(' and '.join(names) for names in pairs)} "
            yield f"{of}{word} {listed(values)}"


def listed(values: Iterable[Any]) -> str:
    """Values as people read them: ``5, 0.25, usps``."""
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
