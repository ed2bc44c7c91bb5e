"""How long an audit may take, and how much of it is left."""

from __future__ import annotations

import time
from collections.abc import Callable

Progress = Callable[[str, float, float | None], None]
"""Takes the part that is at work, the share of all questions asked so far, and the seconds that may be left."""


class _TimeUp(Exception):  # noqa: N818 - no error: what is open is skipped
    pass


class Clock:
    """Counts questions against a plan.

    Parameters
    ----------
    planned : int
        Questions in all.
    seconds : float or None
        After how many what is open is skipped.
    progress : callable, optional
    """

    over = _TimeUp

    def __init__(self, planned: int, seconds: float | None, progress: Progress | None) -> None:
        self._planned, self._seconds, self._progress = max(1, planned), seconds, progress
        self._start = time.monotonic()
        self._asked = 0
        self.part = ""

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self._start

    def asked(self, questions: int) -> None:
        """Count questions; raises `over` when the time is up."""
        self._asked += questions
        if self._progress is not None:
            share = min(0.99, self._asked / self._planned)
            left = self.seconds * (1 - share) / share if share > 0.02 else None
            self._progress(self.part, share, left)
        if self._seconds is not None and self.seconds > self._seconds:
            raise self.over
