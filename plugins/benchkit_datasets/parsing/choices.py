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
