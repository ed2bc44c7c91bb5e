"""Planning a run: which trials a suite has, and which of them are done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchkit.conduct.sharding import ALL, Shard
from benchkit.journal import Store
from benchkit.plugin.manager import Registry, registry
from benchkit.report.forecast import Forecast, forecast
from benchkit.suite.join import join
from benchkit.suite.load import Loaded, SuiteError, load
from benchkit.suite.plan import Trial, expand, select
from benchkit.suite.resolve import resolve
from benchkit.trial.identity import Fingerprints


@dataclass(frozen=True)
class Planned:
    """What a run would do.

    Attributes
    ----------
    loaded : Loaded
    registry : Registry
    fingerprints : Fingerprints
        What decides the trials' outcomes, by content.
    trials : mapping of str to Trial
        By id, in order.
    positions : mapping of str to int
        Place of each trial in the suite's whole plan, of which ``only`` and a shard leave a part.
    done : mapping of str to dict
        Latest record of every trial in the journal.
    reused : mapping of str to dict
        Records that need not be repeated.
    store : Store
    plugins : tuple of str
        Plugin files, absolute.
    shard : Shard
    whole : int
        Number of trials of the suite's whole plan.
    """

    loaded: Loaded
    registry: Registry
    fingerprints: Fingerprints
    trials: Mapping[str, Trial]
    positions: Mapping[str, int]
    done: Mapping[str, dict[str, Any]]
    reused: Mapping[str, dict[str, Any]]
    store: Store
    plugins: tuple[str, ...]
    shard: Shard
    whole: int

    @cached_property
    def left(self) -> list[tuple[str, Trial]]:
        """Trials to be run."""
        return [(trial_id, trial) for trial_id, trial in self.trials.items() if trial_id not in self.reused]

    def expected(self) -> Forecast:
        """How long the trials left may take."""
        hours = self.loaded.suite.hours
        declared = None if hours is None else 3600 * hours / self.whole
        left = [{"dataset": trial.dataset.label, "algorithm": trial.algorithm.label} for _, trial in self.left]
        return forecast(left, self.done.values(), self.loaded.profile, declared)


def plan(
    suite: str,
    *,
    profile: str | None = None,
    out: str | Path = "runs",
    only: Mapping[str, str | Sequence[str]] | None = None,
    settings: Mapping[str, Any] | None = None,
    plugins: Sequence[str | Path] = (),
    add: Sequence[str] = (),
    shard: str | None = None,
    keep_models: bool = False,
    fresh: bool = False,
) -> Planned:
    """Expand a suite and see what of it is already done. Parameters as for `run`."""
    part = Shard.parse(shard) if shard else ALL
    loaded = load(suite, profile, settings)
    files = _plugin_files(loaded, plugins)
    found = registry(files)
    # An installed plugin that is broken may have nothing to do with this suite; a file was asked for.
    if broken := [str(problem) for problem in found.problems if problem.plugin in found.files]:
        raise SuiteError("; ".join(broken))
    if loaded.suite.include:
        raise SuiteError(f"{loaded.source.path}: 'include' makes it a collection, which only `benchkit run` can run")
    loaded = join(loaded, found, add, [str(Path(name).resolve()) for name in plugins])
    resolve(loaded, found)
    everything = expand(loaded, found, files)
    trials = select(everything, only) if only else everything
    fingerprints = Fingerprints(found)
    places = {id(trial): place for place, trial in enumerate(everything)}
    identities = [fingerprints.identify(trial) for trial in trials]
    positions = {name: places[id(trial)] for name, trial in zip(identities, trials, strict=True)}
    mine = part.select(trials)
    identified = {name: trial for name, trial, its in zip(identities, trials, mine, strict=True) if its}
    store = Store(Path(out), loaded.suite.name)
    done = {} if fresh else store.read()
    reused = {i: done[i] for i in identified if i in done and done[i]["status"] == "ok"}
    if keep_models:
        reused = {i: row for i, row in reused.items() if store.model(i).exists()}
    return Planned(
        loaded, found, fingerprints, identified, positions, done, reused, store, files, part, len(everything)
    )


def _plugin_files(loaded: Loaded, plugins: Sequence[str | Path]) -> tuple[str, ...]:
    base = loaded.source.path.parent
    files = [str((base / name).resolve()) for name in loaded.suite.plugins]
    files += [str(Path(name).resolve()) for name in plugins]
    for file in files:
        if not Path(file).is_file():
            raise SuiteError(f"no such plugin file: {file}")
    return tuple(dict.fromkeys(files))
