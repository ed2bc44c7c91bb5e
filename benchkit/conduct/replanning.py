"""Planning a run of the past again: the trial that stands at the place of each of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchkit.conduct.planning import Planned, plan
from benchkit.plugin.manager import Registry
from benchkit.suite.plan import Trial


@dataclass(frozen=True)
class Replanned:
    """A run's trials as they would be run now.

    Attributes
    ----------
    planned : Planned
    trials : mapping of str to Trial
        By the id in the run's manifest; those whose ingredients have changed since are what they have become.
    """

    planned: Planned
    trials: Mapping[str, Trial]

    @property
    def registry(self) -> Registry:
        """What is installed, and in the run's plugin files."""
        return self.planned.registry

    def is_same(self, trial_id: str) -> bool:
        """Whether everything that decides a trial's outcome is as it was."""
        return trial_id in self.planned.trials


def replan(folder: Path, manifest: Mapping[str, Any]) -> Replanned:
    """Plan a run again from the suite that its folder holds.

    Parameters
    ----------
    folder : Path
        The run's.
    manifest : mapping
    """
    planned = plan(str(folder / "suite.yaml"), out=folder.parent.parent, plugins=manifest.get("plugins", ()))
    now = {position: planned.trials[name] for name, position in planned.positions.items()}
    places = zip(manifest["trials"], manifest["positions"], strict=True)
    found = {name: planned.trials.get(name, now.get(place)) for name, place in places}
    return Replanned(planned, {name: trial for name, trial in found.items() if trial is not None})
