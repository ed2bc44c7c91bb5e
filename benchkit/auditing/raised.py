"""What a model raises, in one line."""

from __future__ import annotations

from benchkit.errors import message_of

_LONGEST = 160


def in_one_line(error: Exception) -> str:
    """Type and message of an exception; of a long message the sentences that fit, at least the beginning."""
    message = " ".join(message_of(error).split())
    if len(message) > _LONGEST:
        sentence = message[:_LONGEST].rfind(". ")
        message = message[: sentence + 1] if sentence > 0 else f"{message[: _LONGEST - 3]}..."
    return f"{type(error).__name__}: {message}"
