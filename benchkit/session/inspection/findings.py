"""What was seen before a run, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Findings:
    """What was seen, each a line with its place and its remedy.

    Attributes
    ----------
    mistakes : list of str
        With these nothing is to run.
    warnings : list of str
        Some trials will be skipped.
    """

    mistakes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def told_at_once(mistakes: Sequence[str]) -> str:
    """One mistake as its line; of several each on a line of its own."""
    if len(mistakes) == 1:
        return mistakes[0]
    return "\n".join([f"{len(mistakes)} mistakes:", *(f"  {mistake}" for mistake in mistakes)])
