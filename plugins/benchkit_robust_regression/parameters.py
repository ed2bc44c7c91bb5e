"""Checks of parameters: one line that says which, what it is, and what is expected."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np


def check_count(**parameters: Any) -> None:
    """Raise ValueError for a parameter that is not a whole number of at least 1."""
    for name, value in parameters.items():
        if isinstance(value, bool) or not (isinstance(value, Integral) and value >= 1):
            raise ValueError(f"{name} is {value!r}, expected a whole number of at least 1")


def check_positive(**parameters: Any) -> None:
    """Raise ValueError for a parameter that is not a positive finite number."""
    for name, value in parameters.items():
        if not (_is_number(value) and 0 < value < np.inf):
            raise ValueError(f"{name} is {value!r}, expected a positive number")


def check_not_negative(**parameters: Any) -> None:
    """Raise ValueError for a parameter that is not a finite number of at least 0."""
    for name, value in parameters.items():
        if not (_is_number(value) and 0 <= value < np.inf):
            raise ValueError(f"{name} is {value!r}, expected a number of at least 0")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
