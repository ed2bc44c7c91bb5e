"""Repeating one trial in this process, with its exact seed and data."""

from __future__ import annotations

import pdb
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchkit.environment.place import require_here
from benchkit.journal import JournalError, Store, read_manifest
from benchkit.session.past.replan import replan
from benchkit.suite.plan import Trial
from benchkit.trial.fits.fit_cache import FitCache
from benchkit.trial.protocol import run_trial


@dataclass(frozen=True)
class Repeated:
    """A trial that was run again.

    Attributes
    ----------
    trial : Trial
    outcome : mapping
        What `run_trial` returned.
    before : mapping or None
        Its record in the journal.
    is_same : bool
        Whether everything that decides the outcome, and the metrics' code, is as it was.
    model : object
        The fitted estimator.
    """

    trial: Trial
    outcome: Mapping[str, Any]
    before: Mapping[str, Any] | None
    is_same: bool
    model: Any


def debug(trial: str, *, out: str | Path = "runs", postmortem: bool = False, trust: bool = False) -> Repeated:
    """Run one trial again, in this process, sharing no fit with others.

    Parameters
    ----------
    trial : str
        Its id in the journal, or the beginning of it.
    out : path, default="runs"
        Output folder.
    postmortem : bool, default=False
        Enter the debugger where it raises.
    trust : bool, default=False
        Also of a run that another made, or that was made elsewhere.

    Raises
    ------
    JournalError
        No run names this trial, or several do, or the run is not trusted.
    EnvironmentMissingError
        Its algorithm's packages are not in this interpreter.
    Exception
        Whatever the trial raises.
    """
    trial_id, folder = _find(trial, Path(out))
    again = replan(folder, trust, "debug runs a trial of a run")
    repeated = again.trials.get(trial_id)
    if repeated is None:
        raise JournalError(f"{folder / 'suite.yaml'}: the suite has no trial {trial_id} any more")
    require_here(again.registry.algorithms[repeated.algorithm.name])
    models: list[Any] = []
    try:
        outcome = run_trial(repeated, FitCache(None), keep=models.append)
    except Exception:
        if postmortem:
            pdb.post_mortem(sys.exc_info()[2])
        raise
    before = again.planned.store.read().get(trial_id)
    code = again.planned.fingerprints.metric_code(repeated)
    alike = before is None or all(before["metric_code"].get(name, own) == own for name, own in code.items())
    return Repeated(repeated, outcome, before, again.is_same(trial_id) and alike, models[0])


def _find(beginning: str, out: Path) -> tuple[str, Path]:
    """Whole id and run's folder of the newest run that names a trial."""
    runs: dict[str, Path] = {}
    for suite in sorted(out.glob("*/trials.jsonl")):
        for folder in Store(out, suite.parent.name).runs():
            try:
                trials = read_manifest(folder)["trials"]
            except JournalError:
                continue  # a damaged manifest names nothing
            runs |= {name: folder for name in trials if name.startswith(beginning)}
    if not runs:
        raise JournalError(f"{out}: no run names a trial {beginning!r}; ids are in trials.jsonl")
    if len(runs) > 1:
        raise JournalError(f"{out}: {len(runs)} trials begin with {beginning!r}, such as {', '.join(list(runs)[:3])}")
    ((trial_id, folder),) = runs.items()
    return trial_id, folder
