"""Words that declarations use, and the errors that plugins raise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

from benchkit.errors import BenchkitError

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


class DeclarationError(BenchkitError):
    """A plugin declared something that cannot be used."""


class DataUnavailableError(BenchkitError):
    """A dataset's file is not on this machine; the message says which file to put where. Trials become ``skipped``."""


class NotApplicableError(BenchkitError):
    """A combination of algorithm, adversary and dataset that has no meaning. Trials become ``skipped``."""
