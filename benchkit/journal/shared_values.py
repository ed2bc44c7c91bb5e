"""Many records in little memory: they have the same fields, and mostly the same values."""

from __future__ import annotations

import copy
import sys
from typing import Any

from benchkit.journal.record_format import Record

_PLAIN = (str, int, float, bool, type(None))

_OF_ITS_OWN = ("trial", "metrics", "fit_seconds", "cpu_seconds")  # to look for their like would cost, and find none


class SharedValues:
    """Names, texts and mappings of records, each kept once.

    A record that was pickled or parsed has texts of its own, names of its fields included: 4.5 kB, of which it shares
    3 kB with the others of its run.
    """

    def __init__(self) -> None:
        self._kept: dict[Any, Any] = {}

    def share(self, record: Record) -> Record:
        """The record, made of what earlier ones have; nobody may change the mappings in it."""
        return {
            sys.intern(name): value if name in _OF_ITS_OWN else self._shared(value) for name, value in record.items()
        }

    def _shared(self, value: Any) -> Any:
        if type(value) is str:
            return self._kept.setdefault(value, value)
        if type(value) is dict or type(value) is float:
            return self._kept.setdefault((type(value), repr(value)), value)  # 1, 1.0 and True in mappings are equal
        return value


def copied(value: Any) -> Any:
    """A copy of a record for those who may change it; what cannot change is shared."""
    if type(value) in _PLAIN:
        return value
    if type(value) is dict:
        return {name: copied(item) for name, item in value.items()}
    if type(value) is list:
        return [copied(item) for item in value]
    return copy.deepcopy(value)
