"""Planning a run of the past again: the trial that stands at the place of each of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchkit.journal import JournalError, read_manifest
from benchkit.journal.manifest import is_own, plugin_files, require_trust, trusted_plugin_files
from benchkit.plugin.manager import Registry
from benchkit.session.plan import plan
from benchkit.session.planned import Plan
from benchkit.session.request import Request
from benchkit.suite.load import load
from benchkit.suite.plan import Trial


@dataclass(frozen=True)
class Replanned:
    """A run's trials as they would be run now.

    Attributes
    ----------
    planned : Plan
    trials : mapping of str to Trial
        By the id in the run's manifest; those whose ingredients have changed since are what they have become.
    """

    planned: Plan
    trials: Mapping[str, Trial]

    @property
    def registry(self) -> Registry:
        """What is installed, and in the run's plugin files."""
        return self.planned.registry

    def is_same(self, trial_id: str) -> bool:
        """Whether everything that decides a trial's outcome is as it was."""
        return trial_id in self.planned.trials


def replan(folder: Path, trust: bool, why: str) -> Replanned:
    """Plan a run again from the suite that its folder holds, with its plugin files.

    Parameters
    ----------
    folder : Path
        The run's.
    trust : bool
        Also the run of another, or one made elsewhere; its plugin files must be those that it was made with.
    why : str
        What would be executed, for the message: ``debug runs a trial``.

    Raises
    ------
    JournalError
        The run is not the user's own and not trusted, or its plugin files have changed.
    """
    manifest = read_manifest(folder)
    require_trust(folder, manifest, trust, why)
    suite = str(folder / "suite.yaml")
    if is_own(folder, manifest):
        plugins = tuple(str(path) for path in plugin_files(folder, manifest).values())
    else:
        plugins = trusted_plugin_files(folder, manifest)
        for name in load(suite).suite.plugins:
            if str((folder / name).resolve()) not in plugins:
                raise JournalError(f"{suite}: the run's manifest does not name the plugin file {name}")
    planned = plan(Request(suite, out=folder.parent.parent, plugins=plugins)).plan
    now = {planned.positions[name]: trial for name, trial in planned.trials.items()}
    places = zip(manifest["trials"], manifest["positions"], strict=True)
    trials = {name: planned.trials.get(name, now.get(place)) for name, place in places}
    return Replanned(planned, {name: trial for name, trial in trials.items() if trial is not None})
