"""The nearest of the known names, for messages about a name that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


def nearest_name(name: object, known: Iterable[str]) -> str | None:
    """Which known name was most likely meant, by `difflib` (ratio of at least 0.6); None where none is similar."""
    import difflib

    close = difflib.get_close_matches(str(name), list(known), n=1)
    return close[0] if close else None


@dataclass(frozen=True)
class Suggestion:
    """End of a message about an unknown name, by `str`: ``did you mean 'NAME'?``, or `otherwise`.

    Parameters
    ----------
    name : object
        What was written.
    known : iterable of str
        The names that would have been right.
    otherwise : str
        Said where no known name is similar; usually a list of the known names.
    """

    name: object
    known: Iterable[str]
    otherwise: str

    def __str__(self) -> str:
        nearest = nearest_name(self.name, self.known)
        return f"did you mean {nearest!r}?" if nearest else self.otherwise
