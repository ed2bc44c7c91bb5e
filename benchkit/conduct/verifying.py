"""Rechecking a run's kept models: what each states, recomputed from its own data without its solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchkit.conduct.replanning import replan
from benchkit.journal import JournalError, Store, read_model, read_run
from benchkit.plugin.declarations import Check
from benchkit.plugin.manager import Registry
from benchkit.suite.plan import Trial
from benchkit.trial.learner import Learner
from benchkit.trial.memo import Memo
from benchkit.trial.prepared import prepare


@dataclass(frozen=True)
class Verified:
    """A trial's kept model and what came of its checks.

    Attributes
    ----------
    trial : str
    shown : str
        A short name for people.
    algorithm : str
        Its label.
    checks : list of Check
        Empty where the algorithm declares no way to check it.
    """

    trial: str
    shown: str
    algorithm: str
    checks: list[Check]

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)


def verify(run: str | Path) -> Iterator[Verified]:
    """Recheck the kept models of a run, in its order.

    Parameters
    ----------
    run : path
        A run's folder, or a suite's folder, which stands for its newest run.

    Raises
    ------
    JournalError
        No model was kept.
    """
    manifest, records, folder = read_run(run)
    store = Store(folder.parent.parent, folder.parent.name)
    kept = [str(row["trial"]) for row in records if row["status"] == "ok" and store.model(str(row["trial"])).exists()]
    if not kept:
        raise JournalError(f"{folder}: no fitted model was kept; run the suite with --keep-models")
    planned = replan(folder, manifest)
    for trial_id in kept:
        trial = planned.trials.get(trial_id)
        if trial is None:
            raise JournalError(f"{folder / 'suite.yaml'}: the suite has no trial {trial_id} any more")
        checks = _check(trial, planned.registry, read_model(store.models, trial_id))
        yield Verified(trial_id, trial.shown, trial.algorithm.label, checks)


def _check(trial: Trial, found: Registry, model: Any) -> list[Check]:
    declared = found.algorithms[trial.algorithm.name]
    if declared.verify is None:
        return []
    adversary = found.adversaries[trial.adversary.name] if trial.adversary else None
    part = Learner(trial, declared, prepare(trial, adversary), Memo(None)).refit_on()
    checks: list[Check] = declared.verify(model, part.X, part.y)
    return checks
