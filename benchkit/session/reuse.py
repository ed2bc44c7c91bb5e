"""What of a plan need not be run, and what is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from benchkit.journal import JournalError, Record, Store, changed, owners, read_manifest, rows_of_other_suites
from benchkit.journal.outcomes import Outcomes
from benchkit.journal.store import best
from benchkit.session.designs import describe_designs
from benchkit.session.forecast import Forecast, forecast
from benchkit.session.further_metrics import with_metrics_of
from benchkit.session.planned import Plan, PlannedFields
from benchkit.suite.plan import Trial

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
    done: Mapping[str, Record]  # the latest record of every trial in the journal
    lacking: AbstractSet[str]  # those of them whose model is asked for and was not kept before the run
    published: AbstractSet[str] = frozenset()  # trials that a published row answers: they are no part of the run
    warnings: tuple[str, ...] = ()  # of trials that will be skipped, from a look at their data
    notes: tuple[str, ...] = ()  # what a plan tells of the data, and a run does not warn of
    extended: AbstractSet[str] = frozenset()  # done ones whose metrics were computed from rows just now

    @cached_property
    def trials(self) -> Mapping[str, Trial]:
        """Trials of the run, in order: those that end as its rows, new or reused."""
        return {name: trial for name, trial in self.plan.trials.items() if name not in self.published}

    @cached_property
    def rows(self) -> Mapping[str, Record]:
        """Records that need not be repeated."""
        found = {name: self.done[name] for name in self.trials if name in self.done and name not in self.lacking}
        return {name: row for name, row in found.items() if row["status"] == "ok"}

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


def reuse_of(plan: Plan) -> Reuse:
    """See which trials of a plan are done already; what the journal has is used before what is published."""
    done = continued_rows(plan.store) if plan.request.fresh else plan.store.read(limited=False)
    outcomes = Outcomes(plan.store.folder.parent)
    torn = {name for name, row in done.items() if not outcomes.are_there(row)}
    reuse = look_at_other_suites(Reuse(plan, done, _lacking(plan, done) | torn))
    reuse = with_further_metrics(reuse, outcomes)
    if plan.request.beside is None:
        return reuse
    left = dict(reuse.left)
    told = plan.request.beside.answered(describe_designs(left, plan.fingerprints), PlannedFields(left))
    return replace(reuse, published=told & left.keys())


def with_further_metrics(reuse: Reuse, outcomes: Outcomes) -> Reuse:
    """Reuse as well the trials that are done but for metrics which follow from their rows."""
    found = with_metrics_of(dict(reuse.left), reuse.done, reuse.plan.fingerprints, outcomes)
    if not found:
        return reuse
    lacking = reuse.lacking | _lacking(reuse.plan, found)
    return replace(reuse, done={**reuse.done, **found}, lacking=lacking, extended=found.keys() - lacking)


def look_at_other_suites(reuse: Reuse) -> Reuse:
    """Reuse as well what other suites of the output folder hold of the trials by now."""
    if not reuse.plan.shares_rows:
        return reuse
    found = rows_of_other_suites(reuse.plan.store, dict(reuse.left).keys())
    if not found:
        return reuse
    return replace(reuse, done={**reuse.done, **found}, lacking=reuse.lacking | _lacking(reuse.plan, found))


def _lacking(plan: Plan, names: Iterable[str]) -> set[str]:
    return {name for name in names if not plan.store.keeps_model(name)} if plan.request.keep_models else set()


def in_turn(suites: Sequence[Reuse]) -> list[Reuse]:
    """The plans of a collection as they stand when their turn comes: a trial that suites share runs in the first."""
    known: set[str] = set()
    standing = []
    for reuse in suites:
        left = dict(reuse.left).keys()
        standing.append(reuse.without(left & known) if reuse.plan.shares_rows else reuse)
        known |= left
    return standing


def warnings_of(suites: Sequence[Reuse]) -> list[str]:
    """What is said once before anything runs: plugins that are broken, folders, then what was seen of the suites."""
    problems = [str(problem) for reuse in suites for problem in reuse.plan.registry.problems]
    problems += [
        f"{folder}: everybody on this machine may write there, and what they write is reported as yours; "
        f"'chmod o-w {folder}' keeps them out"
        for reuse in suites
        if (folder := reuse.plan.store.open_to_all) is not None
    ]
    return list(dict.fromkeys([*problems, *(warning for reuse in suites for warning in reuse.warnings)]))


def continued_rows(store: Store) -> dict[str, Record]:
    """The records that a fresh run need not repeat: those of a fresh run that did not come to its end.

    So the same command continues it; once a fresh run is complete, the next one starts anew.
    """
    runs = store.runs()
    try:
        newest = read_manifest(runs[-1]) if runs else {}
    except JournalError:  # a damaged manifest says of no row that it was fresh
        newest = {}
    if not newest.get("fresh") or newest.get("complete"):
        return {}
    origins = set(owners(newest, runs[-1].name).values())
    return best((row["trial"], row) for row in store.rows(limited=False) if row["run"] in origins)
