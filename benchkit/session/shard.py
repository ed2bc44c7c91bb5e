"""Dividing a suite among machines that share nothing: each runs its part, and the runs are merged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from benchkit.suite.plan import Trial
from benchkit.suite.source import SuiteError


@dataclass(frozen=True)
class Shard:
    """Part ``index`` of ``count``, counted from one."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """A shard written as ``2/5``."""
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise SuiteError(f"--shard {text[:80]}: expected I/N with 1 <= I <= N, such as 2/5")
        return cls(int(match[1]), int(match[2]))

    def select(self, trials: Sequence[Trial], together: Mapping[str, int] | None = None) -> list[bool]:
        """Which trials of a whole plan belong to this part.

        Trials that can share a fit stay together: those of one dataset, repetition and algorithm.

        Parameters
        ----------
        trials : sequence of Trial
        together : mapping of cell to int, optional
            Cells with one number stay together, with all their repetitions.
        """
        if together is not None:
            return [together[trial.cell] % self.count == self.index - 1 for trial in trials]
        units: dict[tuple[int, int, str], int] = {}
        keys = [(id(trial.dataset), trial.repetition, trial.algorithm.label) for trial in trials]
        return [units.setdefault(key, len(units)) % self.count == self.index - 1 for key in keys]

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


ALL = Shard(1, 1)
