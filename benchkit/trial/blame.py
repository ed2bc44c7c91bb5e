"""Whose code raised: what it says alone, such as ``division by zero``, tells nobody where to look."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from benchkit.errors import BenchkitError, message_of

_SAID = "raised by "


@contextmanager
def blamed_on(who: str) -> Iterator[None]:
    """Note on what is raised within whose it is, such as ``metric f2``; what benchkit itself says stays as it is.

    Raises
    ------
    ValueError
        It writes to arrays that it was given, which others use, too.
    """
    try:
        yield
    except (BenchkitError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, ValueError) and "read-only" in str(error):
            raise ValueError(f"{who} writes to the data it is given ({error}): let it work on a copy") from error
        error.add_note(f"{_SAID}{who}")
        raise


def with_blame(error: BaseException) -> str:
    """What an exception says, behind the name of whose it is where that was noted."""
    names = [note.removeprefix(_SAID) for note in getattr(error, "__notes__", ()) if note.startswith(_SAID)]
    return ": ".join([*names, message_of(error) or type(error).__name__])
