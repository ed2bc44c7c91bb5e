"""Trials that did not end ok, grouped by where and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from benchkit.journal import Record


class Failed(NamedTuple):
    """What trials that failed alike have in common."""

    algorithm: str
    dataset: str
    adversary: str
    status: str
    why: str


def failed_trials(rows: Iterable[Record]) -> list[tuple[Failed, int]]:
    """How many failed alike, most first."""
    grouped: Counter[Failed] = Counter()
    for row in rows:
        if row["status"] != "ok":
            kind = "" if row["error_type"] in (None, row["status"]) else f"{row['error_type']}: "
            why = f"{kind}{row['error'] or ''}"
            grouped[Failed(row["algorithm"], row["dataset"], row["adversary"], row["status"], why)] += 1
    return grouped.most_common()
