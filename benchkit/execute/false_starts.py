"""Interpreters whose workers die before they can begin: without a count of them they would be started for ever."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

# A worker that dies this often in a row before its first task will never start.
_MOST = 3


class FalseStarts:
    """Counts them for each interpreter, which the folder of its environment names; None is the present one."""

    def __init__(self) -> None:
        self._count: Counter[Path | None] = Counter()
        self._words: dict[Path | None, str] = {}

    def note(self, folder: Path | None, words: str) -> None:
        """A worker has died before it began; its last words."""
        self._count[folder] += 1
        self._words[folder] = words

    def give_up(self, folder: Path | None, words: str) -> None:
        """No process can be started at all."""
        self._count[folder], self._words[folder] = _MOST, words

    def forget(self, folder: Path | None) -> None:
        """A worker has begun."""
        self._count[folder] = 0

    def reason(self, folder: Path | None) -> str | None:
        """Why no more are to be started; None where one more may be."""
        if self._count[folder] < _MOST:
            return None
        workers = "worker processes" if folder is None else "workers of its environment"
        words = self._words[folder] or "the run's workers.log may say why"
        return f"{workers} die before they can begin: {words}"
