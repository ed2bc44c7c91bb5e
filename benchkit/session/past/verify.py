"""Rechecking a run's kept models: what each states, recomputed from its own data without its solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchkit.environment.place import require_here
from benchkit.journal import JournalError, Store, read_model, read_run, runs_of
from benchkit.plugin.declarations import ModelCheck
from benchkit.plugin.manager import Registry
from benchkit.session.past.replan import replan
from benchkit.suite.plan import Trial
from benchkit.trial.fits.fit_cache import FitCache
from benchkit.trial.learner import Learner
from benchkit.trial.prepared import prepare


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
    folders = {folder: kept for folder in runs_of(run) if (kept := _kept(folder))}
    for folder, kept in folders.items():
        again = replan(folder, trust, "verify unpickles the models of a run")
        models = Store(folder.parent.parent, folder.parent.name).models
        for trial_id in kept:
            trial = again.trials.get(trial_id)
            if trial is None:
                raise JournalError(f"{folder / 'suite.yaml'}: the suite has no trial {trial_id} any more")
            declared = again.registry.algorithms[trial.algorithm.name]
            if declared.verify is not None:
                require_here(declared)
            elif declared.environment is not None:
                yield Verified(trial_id, trial.display_name, trial.algorithm.label, [])
                continue  # its model may be readable in its environment alone
            checks = check_model(trial, again.registry, read_model(models, trial_id, trusted=True))
            yield Verified(trial_id, trial.display_name, trial.algorithm.label, checks)


def _kept(folder: Path) -> list[str]:
    """The trials of a run whose models are stored."""
    store = Store(folder.parent.parent, folder.parent.name)
    _, records, _ = read_run(folder)
    return [str(row["trial"]) for row in records if row["status"] == "ok" and store.keeps_model(str(row["trial"]))]


def check_model(trial: Trial, known: Registry, model: Any) -> list[ModelCheck]:
    """What a fitted model states of itself, recomputed from the trial's data without its solver.

    Parameters
    ----------
    trial : Trial
    known : Registry
    model : estimator
        As the trial fitted it.
    """
    declared = known.algorithms[trial.algorithm.name]
    if declared.verify is None:
        return []
    adversary = known.adversaries[trial.adversary.name] if trial.adversary else None
    learner = Learner(trial, declared, prepare(trial, adversary), FitCache(None))
    if learner.instead is not None:  # a model of another method, which this one's statements are not of
        return []
    part = learner.refit_on()
    checks: list[ModelCheck] = declared.verify(model, part.X, part.y)
    return checks
