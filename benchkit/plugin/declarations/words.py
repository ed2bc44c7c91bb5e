"""The words that declarations use, and their checks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

from benchkit.plugin.declarations.errors import DeclarationError

Task = Literal["classification", "regression"]

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


# Metrics may have the names of scikit-learn's scorers.
METRIC_NAME = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")


def check_name(declaration: Any, pattern: re.Pattern[str] = NAME) -> None:
    """Refuse a name that is not lower-case words joined by hyphens (or, by another pattern, underscores)."""
    if not isinstance(declaration.name, str) or not pattern.fullmatch(declaration.name):
        kind = type(declaration).__name__.lower()
        raise DeclarationError(f"{kind} name {declaration.name!r} is not lower-case words joined by hyphens")


def check_choice(declaration: Any, attribute: str, choices: Iterable[str | None]) -> None:
    """Refuse a value of this attribute that is not among the choices."""
    value = getattr(declaration, attribute)
    if value not in choices:
        allowed = ", ".join(repr(choice) for choice in choices)
        raise DeclarationError(f"{declaration.name!r}: {attribute} is {value!r}, expected one of {allowed}")
