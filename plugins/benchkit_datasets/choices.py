"""Checks of the options that a suite gives a loader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def check_choice(option: str, value: Any, allowed: Sequence[Any]) -> None:
    """Raise ValueError, naming what is allowed, unless ``value`` is one of ``allowed``.

    A number does not stand for a truth value, nor a truth value for a number.
    """
    if not any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in allowed):
        expected = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{option} is {value!r}, expected one of {expected}")


def check_count(option: str, value: Any, at_most: int | None = None) -> None:
    """Raise ValueError unless ``value`` is a whole number of at least 1, and at most ``at_most``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{option} is {value!r}, expected a whole number of at least 1")
    if at_most is not None and value > at_most:
        raise ValueError(f"{option} is {value}, there are only {at_most}")
