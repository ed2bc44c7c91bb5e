"""What a claim names and was not judged on: methods, data sets, adversaries and points without a value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchkit.journal import Record
from benchkit.report.claims.check import Check
from benchkit.report.claims.curves import Curves, metric_values, rows_of
from benchkit.report.claims.numbers_in_words import listed
from benchkit.report.statistics.points import curve_name
from benchkit.suite.claims.claim import Claim

Compared = Mapping[tuple[str, ...], Sequence[Record]]
"""What each comparison of a claim, of one algorithm or of two, was judged on."""


def compared_in(claim: Claim, checks: Iterable[Check]) -> Compared:
    """The records that each comparison of a claim was judged on; none where it was not."""
    compared: dict[tuple[str, ...], list[Record]] = {names: [] for names in claim.comparisons}
    by_names = {frozenset(names): rows for names, rows in compared.items()}
    for each in checks:
        by_names[frozenset(row["algorithm"] for row in each.basis.rows)] += each.basis.rows
    return compared


def lacking_data_sets(algorithms: Curves, names: Iterable[str], metric: str) -> Iterator[str]:
    """Data sets of a group that one of a claim's algorithms has no value on, also where no other has."""
    rows = {name: rows_of(algorithms, name) for name in names}
    known = dict.fromkeys(curve_name(row) for each in rows.values() for row in each)
    for name, each in rows.items():
        parts = {part for _, part in metric_values(each, metric)}
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


_AT = {"dataset": "on", "group": "on", "adversary": "under", "axis_value": "at"}


def not_judged_at(claim: Claim, compared: Compared, learned_nothing: Sequence[Record]) -> Iterator[str]:
    """Where a claim speaks of more, by name, than was judged, or left out since nothing is learned there."""
    judged = {names: rows for names, rows in compared.items() if rows}
    for field, named in claim.speaks_of.items():
        absent: dict[tuple[tuple[str, ...], ...], list[Any]] = defaultdict(list)
        for value in named or ():
            lacking = [
                names
                for names, rows in judged.items()
                if all(row.get(field) != value for row in (*rows, *learned_nothing))
            ]
            if lacking:
                absent[tuple(lacking)].append(value)
        for pairs, values in absent.items():
            of = "" if len(pairs) == len(judged) else f"of {', '.join(' and '.join(names) for names in pairs)} "
            yield f"{of}{_AT[field]} {listed(values)}"
