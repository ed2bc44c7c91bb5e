"""Running a trial of the past again: the trial that stands at its place now, for a debugger or to check its model."""

from __future__ import annotations

import pdb
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchkit.environment.place import require_here
from benchkit.journal import JournalError, Store, read_manifest, read_model, read_run, runs_of
from benchkit.journal.manifest import is_own, plugin_files, require_trust, trusted_plugin_files
from benchkit.plugin.declarations import ModelCheck
from benchkit.session.options import Request
from benchkit.session.plan import Plan, plan_suite
from benchkit.suite.load import load
from benchkit.suite.trial import Trial
from benchkit.trial.learner import FitCache, Learner
from benchkit.trial.prepared import prepare
from benchkit.trial.protocol import run_trial


def plugins_of_run(folder: Path, trust: bool, why: str) -> tuple[str, ...]:
    """The plugin files that a run's trials need to be run again.

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
    if is_own(folder, manifest):
        return tuple(str(path) for path in plugin_files(folder, manifest).values())
    plugins = trusted_plugin_files(folder, manifest)
    for name in load(str(folder / "suite.yaml")).suite.plugins:
        if str((folder / name).resolve()) not in plugins:
            raise JournalError(f"{folder / 'suite.yaml'}: the run's manifest does not name the plugin file {name}")
    return plugins


def replan(folder: Path, trust: bool, why: str, *needed: str) -> tuple[Plan, dict[str, Trial]]:
    """Plan a run again from the suite that its folder holds; parameters and errors are those of `plugins_of_run`.

    The trials are by their ids in the run's manifest; those whose ingredients have changed since are what they have
    become.
    """
    plugins = plugins_of_run(folder, trust, why)
    manifest = read_manifest(folder)
    plan = plan_suite(Request(str(folder / "suite.yaml"), out=folder.parent.parent, plugins=plugins))
    now = {plan.positions[name]: trial for name, trial in plan.trials.items()}
    places = zip(manifest["trials"], manifest["positions"], strict=True)
    trials = {name: plan.trials.get(name, now.get(place)) for name, place in places}
    if gone := [name for name in needed if trials.get(name) is None]:
        raise JournalError(f"{folder / 'suite.yaml'}: the suite has no trial {gone[0]} any more")
    return plan, {name: trial for name, trial in trials.items() if trial is not None}


@dataclass(frozen=True)
class Repeated:
    """A trial that was run again."""

    trial: Trial
    outcome: Mapping[str, Any]  # what `run_trial` returned
    before: Mapping[str, Any] | None  # its record in the journal
    is_same: bool  # whether everything that decides the outcome, and the metrics' code, is as it was


def debug(trial: str, *, out: str | Path = "runs", postmortem: bool = False, trust: bool = False) -> Repeated:
    """Run one trial again, named by the beginning of its id, in this process, sharing no fit with others.

    Whatever it raises is raised, after the debugger where ``postmortem``; a `JournalError` where no run names it, or
    several do, or the run is another's and not to be trusted.
    """
    runs: dict[str, Path] = {}  # of each trial that is meant, the newest run that names it
    for path in sorted(Path(out).glob("*/*/manifest.json")):
        try:
            runs |= {name: path.parent for name in read_manifest(path.parent)["trials"] if name.startswith(trial)}
        except JournalError:
            continue  # a damaged manifest names nothing
    if not runs:
        raise JournalError(f"{out}: no run names a trial {trial!r}; ids are in trials.jsonl")
    if len(runs) > 1:
        raise JournalError(f"{out}: {len(runs)} trials begin with {trial!r}, such as {', '.join(list(runs)[:3])}")
    ((trial_id, folder),) = runs.items()
    plan, trials = replan(folder, trust, "debug runs a trial of a run", trial_id)
    repeated = trials[trial_id]
    require_here(plan.registry.algorithms[repeated.algorithm.name])
    try:
        outcome = run_trial(repeated, FitCache(None))
    except Exception:
        if postmortem:
            pdb.post_mortem(sys.exc_info()[2])
        raise
    before = plan.store.read().get(trial_id)
    code = plan.fingerprints.metric_code(repeated)
    alike = before is None or all(before["metric_code"].get(name, own) == own for name, own in code.items())
    return Repeated(repeated, outcome, before, trial_id in plan.trials and alike)


@dataclass(frozen=True)
class Verified:
    """A trial's kept model and what came of its checks.

    Attributes
    ----------
    trial : str
    display_name : str
        A short name for people.
    algorithm : str
        Its label.
    checks : list of ModelCheck
        Empty where the algorithm declares no way to check it.
    """

    trial: str
    display_name: str
    algorithm: str
    checks: list[ModelCheck]

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)


def verify(run: str | Path, *, trust: bool = False) -> Iterator[Verified]:
    """Recheck the kept models of a run, or of each suite of a collection's run, in its order; there may be none.

    What a model states of itself is recomputed from its trial's data without its solver.

    Parameters
    ----------
    run : path
        A run's folder, or a suite's folder, which stands for its newest run.
    trust : bool, default=False
        Also of a run that another made, or that was made elsewhere: models are unpickled.

    Raises
    ------
    JournalError
        The run is not trusted.
    """
    for folder in runs_of(run):
        store = Store(folder.parent.parent, folder.parent.name)
        _, records, _ = read_run(folder)
        kept = [row["trial"] for row in records if row["status"] == "ok" and store.keeps_model(row["trial"])]
        if not kept:
            continue
        plan, trials = replan(folder, trust, "verify unpickles the models of a run", *kept)
        for trial_id in kept:
            trial = trials[trial_id]
            declared = plan.registry.algorithms[trial.algorithm.name]
            checks: list[ModelCheck] = []
            if declared.verify is not None:
                require_here(declared)
                model = read_model(store.models, trial_id, trusted=True)
                learner = Learner(trial, prepare(trial), FitCache(None))
                if learner.instead is None:  # else it is a model of another method, of which nothing is stated
                    part = learner.refit_on()
                    checks = declared.verify(model, part.X, part.y)
            yield Verified(trial_id, trial.display_name, trial.algorithm.label, checks)
