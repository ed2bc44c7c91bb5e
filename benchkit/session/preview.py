"""What a run would do, for Python: nothing runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.session.planning import plan_suites
from benchkit.session.request import Request
from benchkit.session.reuse import Reuse, in_turn

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Preview:
    """What `benchkit.run` would do with the same arguments.

    Attributes
    ----------
    suites : list of str
        Names of the suites that would run.
    trials : list of dict
        What identifies each trial, as its record will: ``dataset``, ``algorithm``, ``adversary``, ``repetition`` and so
        on, its id as ``trial``, and ``reused``: whether a record of it is there already.
    seconds : float or None
        That the trials left may take, of one worker; None where nothing is known.
    """

    suites: Sequence[str]
    trials: Sequence[Mapping[str, Any]] = field(repr=False)
    seconds: float | None
    contents: Sequence[Mapping[str, Any]] = field(default=(), repr=False)

    @property
    def left(self) -> int:
        """How many trials would run."""
        return sum(not trial["reused"] for trial in self.trials)

    def __repr__(self) -> str:
        known = "" if self.seconds is None else f", about {self.seconds:.0f} s of one worker"
        reused = len(self.trials) - self.left
        counts = f"{len(self.trials)} trials, {reused} reused, {self.left} to run"
        return f"<Preview of {', '.join(self.suites)}: {counts}{known}>"

    def to_pandas(self) -> pd.DataFrame:
        """The trials as a table, one row each."""
        import pandas as pd

        return pd.DataFrame(list(self.trials))


def plan(
    suite: str | Mapping[str, Any],
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
) -> Preview:
    """Say what `benchkit.run` would do; run nothing.

    Parameters
    ----------
    suite, profile, out, only, settings, plugins, add, shard, keep_models, fresh
        As for `benchkit.run`.

    Returns
    -------
    Preview

    Raises
    ------
    SuiteError
        The suite cannot be planned; one line says why.
    """
    _, suites = plan_suites(Request(suite, profile, out, only, settings, plugins, add, shard, keep_models, fresh))
    seconds = [reuse.expected().seconds for reuse in in_turn(suites)]
    known = [each for each in seconds if each is not None]
    return Preview(
        suites=[reuse.plan.suite.name for reuse in suites],
        trials=[trial for reuse in suites for trial in _trials(reuse)],
        seconds=sum(known) if len(known) == len(seconds) else None,
        contents=[reuse.plan.content for reuse in suites],
    )


def _trials(reuse: Reuse) -> list[dict[str, Any]]:
    return [
        {"trial": trial_id, **trial.fields, "reused": trial_id in reuse.rows}
        for trial_id, trial in reuse.trials.items()
    ]
