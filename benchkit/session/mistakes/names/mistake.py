"""What is wrong at a place of the suite, as checks find it."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.suite.source import Location


class MistakeError(Exception):
    """What is wrong at a location of the suite."""

    def __init__(self, at: Location, message: str) -> None:
        super().__init__(message)
        self.at, self.message = at, message


Mistakes = Iterator[MistakeError]
"""What a check finds. It raises, at last, what it cannot go on without."""


def until_it_ends(check: Mistakes) -> Mistakes:
    """What a check finds, the last that it raises included."""
    try:
        yield from check
    except MistakeError as last:
        yield last
