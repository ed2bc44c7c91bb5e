"""What listeners are told of a run's trials before they run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchkit.suite.plan import Trial


class PlannedFields(Mapping[str, Mapping[str, Any]]):
    """The fields of each trial's future record, by id; made when asked for, since all of them would take 2 kB each.

    Parameters
    ----------
    trials : mapping of str to Trial
    """

    def __init__(self, trials: Mapping[str, Trial]) -> None:
        self._trials = trials

    def __getitem__(self, trial_id: str) -> Mapping[str, Any]:
        return self._trials[trial_id].fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._trials)

    def __len__(self) -> int:
        return len(self._trials)
