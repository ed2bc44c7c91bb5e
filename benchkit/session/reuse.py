"""What of a plan need not be run, what is left, and how long that may take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import Any

from benchkit.execute.apart import call_in_turn
from benchkit.journal import JournalError, Record, Store, changed, owners, read_manifest, rows_of_other_suites
from benchkit.journal.row_metrics import DeclaredMetric, extended_all
from benchkit.journal.rows import Outcomes
from benchkit.journal.store import best
from benchkit.session.designs import describe_designs
from benchkit.session.plan import Plan, PlannedFields
from benchkit.suite.trial import Trial

Kind = tuple[str, str]
"""Labels of a data set and an algorithm."""


@dataclass(frozen=True)
class Forecast:
    """What is expected, and why.

    Attributes
    ----------
    seconds : float or None
        Of one worker; None where nothing is known.
    origin : str
        What it rests on, in words.
    elsewhere : bool
        Whether it rests on trials of other profiles, which may be of another size.
    """

    seconds: float | None
    origin: str
    elsewhere: bool = False


def forecast(left: Sequence[Kind], done: Iterable[Record], profile: str, declared: float | None) -> Forecast:
    """How long the trials left of a profile may take.

    Each is expected to take what trials of the same dataset and algorithm took on average; failing that, of the same
    algorithm; failing that, of any. Trials of other profiles may be of another size: the suite's own word goes before
    them.

    Parameters
    ----------
    left : sequence of (str, str)
        Labels of the data set and the algorithm of each trial.
    done : records of trials
    profile : str
    declared : float or None
        Seconds a trial takes as the suite has it.
    """
    timed = [row for row in done if row["status"] == "ok" and row.get("cpu_seconds") is not None]
    own = [row for row in timed if row.get("profile") == profile]
    if own:
        return Forecast(_extrapolated(left, own), "its own trials")
    if declared is not None:
        return Forecast(declared * len(left), "its 'hours'")
    if timed:
        others = ", ".join(sorted({str(row.get("profile")) for row in timed}))
        return Forecast(_extrapolated(left, timed), f"trials of profile {others}", elsewhere=True)
    return Forecast(None, "no trial was run")


def _extrapolated(left: Sequence[Kind], done: Sequence[Record]) -> float:
    by_key: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in done:
        for key in _keys(row["dataset"], row["algorithm"]):
            by_key[key].append(row["cpu_seconds"] or 0.0)
    means = {key: fmean(values) for key, values in by_key.items()}
    return sum(next(means[key] for key in _keys(*kind) if key in means) for kind in left)


def _keys(dataset: str, algorithm: str) -> tuple[tuple[str, ...], ...]:
    return (dataset, algorithm), (algorithm,), ()


# Trials whose metrics are computed from rows in one call of a worker, and the seconds that it may take.
_BATCH, _SECONDS = 500, 60.0

NAMING = (
    "cell",
    "suite",
    "profile",
    "dataset",
    "dataset_params",
    "group",
    "algorithm",
    "adversary",
    "axis",
    "axis_value",
)
"""What a record calls its trial: none of it decides the outcome."""


@dataclass(frozen=True)
class Reuse:
    """A plan, and what is known of its trials before they are run."""

    plan: Plan
    done: Mapping[str, Record]  # of every trial in the journal the record that counts
    again: Mapping[str, str]  # why a trial that is done runs again: its model or its rows are not there
    published: AbstractSet[str] = frozenset()  # trials that a published row answers: they are no part of the run
    warnings: tuple[str, ...] = ()  # of trials that will be skipped, from a look at their data
    notes: tuple[str, ...] = ()  # what a plan tells of the data, and a run does not warn of
    gained: Mapping[str, Record] = field(default_factory=dict)  # done ones with metrics that followed from their rows

    @cached_property
    def trials(self) -> Mapping[str, Trial]:
        """Trials of the run, in order: those that end as its rows, new or reused."""
        return {name: trial for name, trial in self.plan.trials.items() if name not in self.published}

    @cached_property
    def rows(self) -> Mapping[str, Record]:
        """Records that need not be repeated, with the metrics of the suite alone."""
        rows = {}
        for name, trial in self.trials.items():
            row = self.gained.get(name) or self.done.get(name)
            if row is not None and row["status"] == "ok" and name not in self.again and not self.outdated(row, trial):
                rows[name] = (
                    changed(row, _with_metrics_of(trial, row)) if len(row["metrics"]) > len(trial.metrics) else row
                )
        return rows

    def outdated(self, row: Record, trial: Trial) -> list[str]:
        """The metrics of a trial that a record of it lacks, or has as other code computed them."""
        now = self.plan.fingerprints.metric_code(trial)
        return [name for name, code in now.items() if row["metric_code"].get(name) != code]

    @cached_property
    def left(self) -> list[tuple[str, Trial]]:
        """Trials to be run."""
        return [(name, trial) for name, trial in self.trials.items() if name not in self.rows]

    def renamed_rows(self) -> dict[str, Record]:
        """Reused records by trial, under the names that this run has for them; what they measured stays."""
        renamed = {}
        for name, row in self.rows.items():
            known = self.trials[name].fields
            naming = {key: known[key] for key in NAMING}
            renamed[name] = changed(row, {**naming, "params": row.get("params") or known["params"]})
        return renamed

    def expected(self) -> Forecast:
        """How long the trials left may take."""
        hours = self.plan.suite.hours
        whole = sum(block.planned * len(block.combinations) for block in self.plan.blocks)
        declared = None if hours is None else 3600 * hours / whole
        left = [(trial.dataset.label, trial.algorithm.label) for _, trial in self.left]
        return forecast(left, self.done.values(), self.plan.loaded.profile, declared)

    def without(self, names: AbstractSet[str]) -> Reuse:
        """The same of a plan that lacks these trials."""
        trials = {name: trial for name, trial in self.plan.trials.items() if name not in names}
        return replace(self, plan=replace(self.plan, trials=trials))


def _with_metrics_of(trial: Trial, row: Record) -> dict[str, Any]:
    """The fields of a record that tell of metrics, without those that the trial does not ask for."""
    fields: Mapping[str, Any] = row
    told = {key: fields[key] for key in ("metrics", "metric_code", "no_value")}
    return {key: {name: values[name] for name in trial.metrics if name in values} for key, values in told.items()}


def reuse_of(plan: Plan) -> Reuse:
    """See which trials of a plan are done already; what the journal has is used before what is published."""
    rows = continued_rows(plan.store) if plan.request.fresh else plan.store.rows()
    done = _records(plan, rows)
    outcomes = Outcomes(plan.store.folder.parent)
    torn = {name: "its kept rows are not all there" for name, row in done.items() if not outcomes.are_there(row)}
    reuse = look_at_other_suites(Reuse(plan, done, torn | _without_model(plan, done)))
    if plan.request.beside is None:
        return reuse
    left = dict(reuse.left)
    told = plan.request.beside.answered(describe_designs(left, plan.fingerprints), PlannedFields(left))
    return replace(reuse, published=told & left.keys())


def _records(plan: Plan, rows: Sequence[Record]) -> dict[str, Record]:
    """Of each trial the record that counts: the latest that ended ok, of those with all metrics of the plan if any."""
    trials = plan.trials
    code = {name: plan.fingerprints.metric_code(trial).items() for name, trial in trials.items()}
    whole = [row for row in rows if row["trial"] in code and row["metric_code"].items() >= code[row["trial"]]]
    counting, whole_ones = (best((row["trial"], row) for row in each) for each in (rows, whole))
    return counting | whole_ones


def with_metrics_of_rows(reuse: Reuse) -> Reuse:
    """Reuse as well the trials that are done but for metrics which follow from the rows that were kept of them."""
    known = reuse.plan.registry.metrics
    asked: dict[str, tuple[Record, list[str]]] = {}
    for name, trial in reuse.left:
        row = reuse.done.get(name)
        if row is None or row["status"] != "ok" or not row["outcomes"] or name in reuse.again:
            continue
        metrics = reuse.outdated(row, trial)
        if not any(known[metric].needs == "model" for metric in metrics):
            asked[name] = changed(row, {}), metrics
    gained = {}
    for name, fields in _computed(reuse.plan, asked).items():
        if all(fields["metrics"][metric] is not None for metric in asked[name][1]):  # else the trial itself says why
            row = reuse.done[name]
            code = {**row["metric_code"], **reuse.plan.fingerprints.metric_code(reuse.trials[name])}
            gained[name] = changed(row, {**fields, "metric_code": code})
    return replace(reuse, gained={**reuse.gained, **gained}) if gained else reuse


def _computed(plan: Plan, asked: Mapping[str, tuple[Record, list[str]]]) -> dict[str, dict[str, Any]]:
    """What `extended` makes of records; of those whose metrics hang or end their process nothing: they run again."""
    told = [(row, [DeclaredMetric(name, plan.plugins) for name in names]) for row, names in asked.values()]
    folder, known = plan.store.folder.parent.resolve(), plan.registry.metrics
    if all(plan.registry.is_own(known[name]) for _, names in asked.values() for name in names):
        return dict(zip(asked, extended_all(folder, told), strict=True))
    starts = range(0, len(told), _BATCH)
    answers = call_in_turn(extended_all, [(folder, told[start : start + _BATCH]) for start in starts], _SECONDS)
    names = list(asked)
    return {
        name: fields
        for start, answer in zip(starts, answers, strict=True)
        if not isinstance(answer, Exception)
        for name, fields in zip(names[start : start + _BATCH], answer, strict=True)
    }


def look_at_other_suites(reuse: Reuse) -> Reuse:
    """Reuse as well what other suites of the output folder hold of the trials by now."""
    if not reuse.plan.shares_rows:
        return with_metrics_of_rows(reuse)
    left = dict(reuse.left)
    found = _records(reuse.plan, rows_of_other_suites(reuse.plan.store, left.keys()))
    found = {name: row for name, row in found.items() if name not in reuse.done or not reuse.outdated(row, left[name])}
    done, again = {**reuse.done, **found}, {**reuse.again, **_without_model(reuse.plan, found)}
    return with_metrics_of_rows(replace(reuse, done=done, again=again))


def _without_model(plan: Plan, names: Iterable[str]) -> dict[str, str]:
    if not plan.request.keep_models:
        return {}
    return {name: "its model was not kept" for name in names if not plan.store.keeps_model(name)}


def in_turn(suites: Sequence[Reuse]) -> list[Reuse]:
    """The plans of a collection as they stand when their turn comes: a trial that suites share runs in the first.

    It runs again where a later one asks for a metric that rows do not tell.
    """
    measured: dict[str, set[str]] = {}
    standing = []
    for reuse in suites:
        known = reuse.plan.registry.metrics
        left = {name: {m for m in trial.metrics if known[m].needs == "model"} for name, trial in reuse.left}
        shared = {name for name, of_model in left.items() if name in measured and of_model <= measured[name]}
        standing.append(reuse.without(shared) if reuse.plan.shares_rows else reuse)
        for name, of_model in left.items():
            measured[name] = measured.get(name, set()) | of_model
    return standing


def warnings_of(suites: Sequence[Reuse]) -> list[str]:
    """What is said once before anything runs: plugins that are broken, then what was seen of the suites."""
    problems = [str(problem) for reuse in suites for problem in reuse.plan.registry.problems]
    return list(dict.fromkeys([*problems, *(warning for reuse in suites for warning in reuse.warnings)]))


def continued_rows(store: Store) -> list[Record]:
    """The records that a fresh run need not repeat: those of a fresh run that did not come to its end.

    So the same command continues it; once a fresh run is complete, the next one starts anew.
    """
    runs = store.runs()
    try:
        newest = read_manifest(runs[-1]) if runs else {}
    except JournalError:  # a damaged manifest says of no row that it was fresh
        newest = {}
    if not newest.get("fresh") or newest.get("complete"):
        return []
    origins = set(owners(newest, runs[-1].name).values())
    return [row for row in store.rows() if row["run"] in origins]
