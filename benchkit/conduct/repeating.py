"""Repeating one trial in this process, with its exact seed and data."""

from __future__ import annotations

import json
import pdb
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchkit.conduct.replanning import replan
from benchkit.journal import JournalError, Store
from benchkit.suite.plan import Trial
from benchkit.trial.memo import Memo
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
        Whether everything that decides the outcome is as it was.
    model : object
        The fitted estimator.
    """

    trial: Trial
    outcome: Mapping[str, Any]
    before: Mapping[str, Any] | None
    is_same: bool
    model: Any


def debug(trial: str, *, out: str | Path = "runs", postmortem: bool = False) -> Repeated:
    """Run one trial again, in this process, sharing no fit with others.

    Parameters
    ----------
    trial : str
        Its id in the journal, or the beginning of it.
    out : path, default="runs"
        Output folder.
    postmortem : bool, default=False
        Enter the debugger where it raises.

    Raises
    ------
    JournalError
        No run names this trial, or several do.
    Exception
        Whatever the trial raises.
    """
    trial_id, folder, manifest = _find(trial, Path(out))
    again = replan(folder, manifest)
    found = again.trials.get(trial_id)
    if found is None:
        raise JournalError(f"{folder / 'suite.yaml'}: the suite has no trial {trial_id} any more")
    models: list[Any] = []
    try:
        outcome = run_trial(found, Memo(None), keep=models.append)
    except Exception:
        if postmortem:
            pdb.post_mortem(sys.exc_info()[2])
        raise
    before = again.planned.store.read().get(trial_id)
    return Repeated(found, outcome, before, again.is_same(trial_id), models[0])


def _find(beginning: str, out: Path) -> tuple[str, Path, dict[str, Any]]:
    """Whole id, run's folder and manifest of the newest run that names a trial."""
    found: dict[str, tuple[Path, dict[str, Any]]] = {}
    for suite in sorted(out.glob("*/trials.jsonl")):
        for folder in Store(out, suite.parent.name).runs():
            try:
                manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            found |= {name: (folder, manifest) for name in manifest["trials"] if name.startswith(beginning)}
    if not found:
        raise JournalError(f"{out}: no run names a trial {beginning!r}; ids are in trials.jsonl")
    if len(found) > 1:
        raise JournalError(f"{out}: {len(found)} trials begin with {beginning!r}, such as {', '.join(list(found)[:3])}")
    ((trial_id, (folder, manifest)),) = found.items()
    return trial_id, folder, manifest
