"""What was seen before a run."""

from __future__ import annotations

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
