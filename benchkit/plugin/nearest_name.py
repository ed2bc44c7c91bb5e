"""The nearest of the known names, for messages about a name that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_name(name: object, known: Iterable[str]) -> str | None:
    """Which known name was most likely meant, by `difflib` (ratio of at least 0.6); None where none is similar."""
    import difflib

    return next(iter(difflib.get_close_matches(str(name), list(known), n=1)), None)


def suggestion(name: object, known: Iterable[str], otherwise: str) -> str:
    """End of a message about an unknown name: ``did you mean 'NAME'?``, or, where none is similar, ``otherwise``."""
    nearest = nearest_name(name, known)
    return f"did you mean {nearest!r}?" if nearest else otherwise
