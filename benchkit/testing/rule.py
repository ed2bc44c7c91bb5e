"""What a conformance rule is, and how one says that it is broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class BrokenRuleError(AssertionError):
    """A rule is broken: the message says what was found and what to do."""


class NotAskedError(Exception):
    """A rule has nothing to ask of this subject; the message says why."""


@dataclass(frozen=True)
class Rule:
    """One thing that a plugin, or something that it declares, keeps to.

    Attributes
    ----------
    name : str
        Lower-case words joined by hyphens.
    summary : str
        The rule in one line.
    check : callable
        Takes the subject; raises `BrokenRuleError`, or `NotAskedError`, or whatever the subject raises.
    """

    name: str
    summary: str
    check: Callable[[Any], None]


def rule(function: Callable[[Any], None]) -> Rule:
    """Make a rule of a function: its name, and the first line of its docstring."""
    summary = (function.__doc__ or "").strip().splitlines()[0]
    return Rule(function.__name__.replace("_", "-"), summary, function)


def require(condition: Any, message: str) -> None:
    """Raise `BrokenRuleError` unless the condition holds."""
    if not condition:
        raise BrokenRuleError(message)
