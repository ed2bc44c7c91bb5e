"""What a run would do: which trials, why, and how long they may take."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit.errors import JournalError
from benchkit.identity.fingerprints import describe_designs
from benchkit.journal.manifest import read_manifest
from benchkit.plugin.guard import FILE_MODULE
from benchkit.session.listeners import Kind, expected_seconds
from benchkit.session.plan import Plan, Request, plan_suites
from benchkit.suite.names import NO_ADVERSARY

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
    contents : list of dict
        What the trials of each suite ask, as the manifest of a run has it: designs, methods and places.
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
        seconds = "" if self.seconds is None else f", about {self.seconds:.0f} s of one worker"
        reused = len(self.trials) - self.left
        counts = f"{len(self.trials)} trials, {reused} reused, {self.left} to run"
        return f"<Preview of {', '.join(self.suites)}: {counts}{seconds}>"

    def to_pandas(self) -> pd.DataFrame:
        """The trials as a table, one row each."""
        import pandas as pd

        return pd.DataFrame(list(self.trials))


def plan(
    suite: str | Mapping[str, Any],
    *,
    profile: str | None = None,
    out: str | Path = "runs",
    only: Mapping[str, Any] | None = None,
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
    _, plans = plan_suites(Request(suite, profile, out, only, settings, plugins, add, shard, keep_models, fresh))
    seconds = [forecast.seconds for forecast in forecasts(plans)]
    rows = [(plan, name, trial) for plan in plans for name, trial in plan.trials.items()]
    return Preview(
        suites=[plan.suite.name for plan in plans],
        trials=[{"trial": name, **trial.fields, "reused": name in plan.done} for plan, name, trial in rows],
        seconds=None if None in seconds else sum(filter(None, seconds)),
        contents=[describe_designs(plan.trials, plan.fingerprints) for plan in plans],
    )


class Forecast(NamedTuple):
    """How long what is left of a plan may take, and why."""

    plan: Plan
    seconds: float | None  # of one worker; None where nothing is known
    origin: str  # what it rests on, in words


def forecasts(plans: Sequence[Plan]) -> list[Forecast]:
    """How long the rest of each suite may take.

    Trials of other profiles may be of another size: the suite's own word on how long they take goes before them.
    """
    expected = []
    for plan in plans:
        skipped = plan.will_be_skipped
        run = [trial for name, trial in plan.left.items() if name not in skipped]
        kinds: Counter[Kind] = Counter((trial.dataset.label, trial.algorithm.label) for trial in run)
        timed = [row for row in plan.earlier.values() if row["status"] == "ok" and row.get("cpu_seconds") is not None]
        own = [row for row in timed if row.get("profile") == plan.loaded.profile]
        if not own and plan.suite.hours is not None:
            seconds = 3600 * plan.suite.hours / plan.trials_of_suite * kinds.total()
            expected.append(Forecast(plan, seconds, "its 'hours'"))
            continue
        took: dict[Kind, list[float]] = defaultdict(list)
        for row in own or timed:
            took[row["dataset"], row["algorithm"]].append(row["cpu_seconds"] or 0.0)
        others = ", ".join(sorted({str(row.get("profile")) for row in timed}))
        origin = "its own trials" if own else f"trials of profile {others}" if timed else "no trial was run"
        expected.append(Forecast(plan, expected_seconds(kinds, took), origin))
    return expected


def combinations(plan: Plan, but: Collection[str] = ()) -> list[dict[str, Any]]:
    """How many trials each dataset, algorithm and adversary has, but for some, and how many of them are reused."""
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for name, trial in plan.trials.items():
        if name in but:
            continue
        key = trial.dataset.label, trial.algorithm.label, trial.adversary.label if trial.adversary else NO_ADVERSARY
        named = dict(zip(("dataset", "algorithm", "adversary"), key, strict=True))
        row = rows.setdefault(key, {**named, "trials": 0, "reused": 0})
        row["trials"] += 1
        row["reused"] += name in plan.done
    return list(rows.values())


def answered(plans: Sequence[Plan]) -> list[str]:
    """What is not run, for published rows answer it: a sentence with the methods, or none."""
    trials = [trial for plan in plans for trial in plan.answered.values()]
    methods = Counter(trial.algorithm.label for trial in trials)
    listed = ", ".join(f"{method} {count}" for method, count in methods.items())
    return [f"{len(trials)} further trials: answered by published rows, and not run ({listed})"] if trials else []


def reasons(plan: Plan) -> Counter[str]:
    """How many trials that ran before run again for each reason: what became of them, or what has changed since."""
    before = {(row["cell"], row["repetition"]): trial for trial, row in plan.earlier.items()}
    counts = Counter(plan.again.values())
    ran = [
        (trial, before[trial.fields["cell"], trial.repetition])
        for name, trial in plan.left.items()
        if name not in plan.again and (trial.fields["cell"], trial.repetition) in before
    ]
    ingredients: dict[str, Mapping[str, Mapping[str, str]]] = {}  # by trial, of the newest manifest that names it
    for folder in plan.store.runs() if ran else ():
        with suppress(JournalError):  # a damaged manifest explains nothing
            manifest = read_manifest(folder)
            ingredients |= dict.fromkeys(manifest["trials"], manifest.get("ingredients", {}))
    for trial, earlier in ran:
        differing: dict[str, None] = {}
        for owner in plan.fingerprints.sources(trial):
            now = plan.fingerprints.ingredients[owner]
            then = ingredients.get(earlier, {}).get(owner, now)
            names = [name for name in {**now, **then} if now.get(name) != then.get(name)]
            files = {name: f"{name.removeprefix(FILE_MODULE)}.py" for name in names if name.startswith(FILE_MODULE)}
            whose = f"declaration of {owner.partition(':')[2]}"
            differing |= {whose if name == "declaration" else files.get(name, name): None for name in names}
        counts[f"{', '.join(differing) or 'a setting of the suite'} changed"] += 1
    return counts
