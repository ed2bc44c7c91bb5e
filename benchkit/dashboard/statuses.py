"""How the trials of a suite ended, read from its journal alone, and again only where the journal has changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from benchkit.journal.journal_lines import journal_lines


class Signature(NamedTuple):
    """What a file was like when it was read; all zero where there is none."""

    inode: int = 0
    size: int = 0
    changed: int = 0


def signature(path: Path) -> Signature:
    """What tells whether a file was written since."""
    try:
        found = path.stat()
    except OSError:
        return Signature()
    return Signature(found.st_ino, found.st_size, found.st_mtime_ns)


class Statuses:
    """Statuses of trials by run and trial, journal by journal."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[Signature, Mapping[tuple[str, str], str]]] = {}

    def of(self, journal: Path) -> tuple[Signature, Mapping[tuple[str, str], str]]:
        """What the journal was like, and the status of each trial of each run: ok where it ever was, else the latest.

        Raises
        ------
        OSError
            It cannot be read.
        """
        now = signature(journal)
        known = self._known.get(journal)
        if known is None or known[0] != now:
            known = self._known[journal] = (now, _read(journal) if now.size else {})
        return known


def _read(journal: Path) -> Mapping[tuple[str, str], str]:
    statuses: dict[tuple[str, str], str] = {}
    for line in journal_lines(journal):
        try:
            record = json.loads(line)
            run, trial, status = record.get("run", ""), record["trial"], record["status"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue  # a torn line: its run's page names it
        key = (str(run), str(trial))
        if statuses.get(key) != "ok":
            statuses[key] = str(status)
    return statuses
