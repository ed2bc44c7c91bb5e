"""Rows that answer a suite's trials and lie in the journals of other suites of the same output folder."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from benchkit.journal.record_format import DamagedLineError, Record, parse_record
from benchkit.journal.store import Store

# How a row begins that this package wrote: its id can be told without parsing it.
_BEFORE_ID = b'{"trial": "'
_ID_ENDS = len(_BEFORE_ID) + 16
_LONGEST = 8 * 2**20


def rows_of_other_suites(store: Store, trials: Collection[str]) -> list[Record]:
    """Rows that ended ok: an id says all that decides the outcome, whatever suite it was asked by.

    Parameters
    ----------
    store : Store
        Of the suite that asks; its own journal is not looked at.
    trials : collection of str
        Ids that are wanted.
    """
    found: list[Record] = []
    if not trials:
        return found
    for line in _lines(store):
        name = line[len(_BEFORE_ID) : _ID_ENDS].decode("ascii", errors="replace")
        if line.startswith(_BEFORE_ID) and name in trials:
            with suppress(DamagedLineError):  # its own suite tells of it
                row = parse_record(line.decode("utf-8", errors="replace"))
                if row["status"] == "ok":
                    found.append(row)
    return found


def _lines(store: Store) -> Iterator[bytes]:
    for journal in sorted(store.folder.parent.glob(f"*/{store.journal.name}")):
        if journal.parent.name != store.folder.name:
            with suppress(OSError), journal.open("rb") as lines:  # one that cannot be read serves nobody
                yield from iter(lambda: lines.readline(_LONGEST), b"")
