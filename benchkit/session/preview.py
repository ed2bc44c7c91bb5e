"""What a run would do: which trials, why, and how long they may take."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit.errors import JournalError
from benchkit.identity.fingerprints import describe_designs
from benchkit.journal.manifest import Manifest, read_manifest
from benchkit.session.listeners import expected_seconds
from benchkit.session.plan import Plan, Request, plan_suites
from benchkit.suite.names import NO_ADVERSARY
from benchkit.suite.trial import Trial

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
    """What is left of a plan when its turn comes, how long that may take, and why."""

    plan: Plan
    left: dict[str, Trial]
    seconds: float | None  # of one worker; None where nothing is known
    origin: str  # what it rests on, in words


def forecasts(plans: Sequence[Plan]) -> list[Forecast]:
    """What is left of each suite: a trial that suites share runs in the first, and again for a metric of the model.

    Trials of other profiles may be of another size: the suite's own word on how long they take goes before them.
    """
    measured: dict[str, set[str]] = defaultdict(set)
    expected = []
    for plan in plans:
        metrics, left = plan.registry.metrics, {}
        for name, trial in plan.left.items():
            of_model = {metric for metric in trial.metrics if metrics[metric].needs == "model"}
            if not (plan.shares_rows and name in measured and of_model <= measured[name]):
                left[name] = trial
            measured[name] |= of_model
        kinds = Counter((trial.dataset.label, trial.algorithm.label) for trial in left.values())
        timed = [row for row in plan.earlier.values() if row["status"] == "ok" and row.get("cpu_seconds") is not None]
        own = [row for row in timed if row.get("profile") == plan.loaded.profile]
        if not own and plan.suite.hours is not None:
            seconds = 3600 * plan.suite.hours / plan.trials_of_suite * kinds.total()
            expected.append(Forecast(plan, left, seconds, "its 'hours'"))
            continue
        took = defaultdict(list)
        for row in own or timed:
            took[row["dataset"], row["algorithm"]].append(row["cpu_seconds"] or 0.0)
        others = ", ".join(sorted({str(row.get("profile")) for row in timed}))
        origin = "its own trials" if own else f"trials of profile {others}" if timed else "no trial was run"
        expected.append(Forecast(plan, left, expected_seconds(kinds, took), origin))
    return expected


def combinations(plan: Plan, explain: bool = False) -> list[dict[str, Any]]:
    """How many trials each dataset, algorithm and adversary has, and how many are reused; or how many for each reason.

    To ``explain`` is to say why trials are run or reused, ``reason``, instead of how many are ``reused``.
    """
    reasons = _reasons(plan) if explain else dict.fromkeys(plan.trials, "")
    rows: dict[tuple[str, str, str, str], dict[str, Any]] = {}
    for name, trial in plan.trials.items():
        adversary = trial.adversary.label if trial.adversary else NO_ADVERSARY
        key = trial.dataset.label, trial.algorithm.label, adversary, reasons[name]
        ending: dict[str, Any] = {"reason": key[3]} if explain else {"reused": 0}
        named = {"dataset": key[0], "algorithm": key[1], "adversary": adversary}
        row = rows.setdefault(key, {**named, "trials": 0, **ending})
        row["trials"] += 1
        if not explain:
            row["reused"] += name in plan.done
    return list(rows.values())


def _reasons(plan: Plan) -> dict[str, str]:
    """One line for each trial, by the newest manifest that names what it was: what was hashed then and differs now."""
    before = {(row["cell"], row["repetition"]): trial for trial, row in plan.earlier.items()}
    manifests: dict[str, Manifest] = {}  # by trial
    for folder in plan.store.runs():
        with suppress(JournalError):  # a damaged manifest explains nothing
            manifest = read_manifest(folder)
            manifests |= dict.fromkeys(manifest["trials"], manifest)
    reasons: dict[str, str] = {}
    of_kind: dict[tuple[str, ...], str] = {}  # one answer for all repetitions of a method
    for name, trial in plan.trials.items():
        if name in plan.done or name in plan.again:
            reasons[name] = plan.again.get(name, "reused")
        elif (earlier := before.get((trial.fields["cell"], trial.repetition))) is None:
            reasons[name] = "new"
        elif "content" not in manifests.get(earlier, {}):
            reasons[name] = "changed since; the manifest that would say what is gone"
        else:
            manifest = manifests[earlier]
            kind = (str(manifest["run"]), trial.algorithm.label, *plan.fingerprints.sources(trial))
            if kind not in of_kind:
                changes = _changes(plan, manifest, earlier, trial)
                of_kind[kind] = "; ".join(dict.fromkeys(changes)) or "changed since"
            reasons[name] = of_kind[kind]
    return reasons


def _changes(plan: Plan, manifest: Manifest, earlier: str, trial: Trial) -> Iterator[str]:
    """Sources, files, versions and settings that differ from those of an earlier trial, which a manifest describes."""
    ingredients: Mapping[str, Mapping[str, str]] = manifest.get("ingredients", {})
    for owner in plan.fingerprints.sources(trial):
        new = plan.fingerprints.ingredients[owner]
        old = ingredients.get(owner, new)
        for name in [name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name)]:
            before, now = old.get(name), new.get(name)
            if name.startswith("file "):
                yield f"data {name} changed"
            elif name == "declaration":
                yield f"declaration of {owner.partition(':')[2]} changed"
            elif len(now or before or "") == 64:  # a sha256; versions are shorter
                yield f"code of {name} changed"
            else:
                yield f"version of {name} changed ({before or 'none'} -> {now or 'none'})"
    contents = manifest["content"], describe_designs({earlier: trial}, plan.fingerprints)
    for place, kind, whose in ((0, "designs", ""), (1, "methods", f" of {trial.algorithm.label}")):
        then, now = (content[kind][content["places"][earlier][place]]["question"] for content in contents)
        differing = [key for key, value in now.items() if value != then.get(key) and key != "file"]  # a digest of code
        yield from (f"{key}{whose} changed" for key in differing)
    first = (manifest["suite_as_run"].get("metrics") or ["error"])[0]
    if any(stage.metric is None for stage in trial.algorithm.tune) and first != plan.suite.metrics[0]:
        yield "the metric that parameters are chosen by changed"
