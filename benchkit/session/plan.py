"""What is planned of a suite: its trials, which of them are done, which are left, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from benchkit.check.data import DataFindings, Limits, look_at_data, warnings_of_trials
from benchkit.check.names import name_mistakes
from benchkit.execute.apart import call_in_turn
from benchkit.identity.designs import describe_designs
from benchkit.identity.fingerprints import Fingerprints
from benchkit.journal import JournalError, Record, Store, changed, owners, read_manifest, rows_of_other_suites
from benchkit.journal.row_metrics import DeclaredMetric, extended_all
from benchkit.journal.rows import Outcomes
from benchkit.journal.store import best
from benchkit.plugin.manager import Registry, registry
from benchkit.plugin.nearest_name import Suggestion
from benchkit.session.options import Request
from benchkit.session.repetitions import with_repetitions
from benchkit.suite.expand import Block, blocks, planned_trials
from benchkit.suite.join import join
from benchkit.suite.load import Collection, Loaded, load_collection
from benchkit.suite.source import SuiteError, told_at_once
from benchkit.suite.trial import Trial
from benchkit.suite.whole_suite import Suite

# What a record calls its trial: none of it decides the outcome.
NAMING: tuple[str, ...] = ("cell", "suite", "profile", "dataset", "dataset_params", "group", "algorithm", "adversary")
NAMING += ("axis", "axis_value")

# Trials whose metrics are computed from rows in one call of a worker, and the seconds that it may take.
_BATCH, _SECONDS = 500, 60.0


class PlannedFields(Mapping[str, Mapping[str, Any]]):
    """The fields of each trial's future record, by id; made when asked for, since all would take 2 kB each."""

    def __init__(self, trials: Mapping[str, Trial]) -> None:
        self._trials = trials

    def __getitem__(self, trial_id: str) -> Mapping[str, Any]:
        return self._trials[trial_id].fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._trials)

    def __len__(self) -> int:
        return len(self._trials)


@dataclass
class Plan:
    """The trials of a suite that are asked for: which are done, which are left, and why."""

    request: Request
    loaded: Loaded
    fingerprints: Fingerprints
    plugins: tuple[str, ...]  # files, absolute
    blocks: Sequence[Block]  # what the suite runs, dataset by dataset, whatever part of it is asked for
    store: Store
    trials: dict[str, Trial]  # by id, in order: those that end as rows of a run, new or reused
    positions: Mapping[str, int]  # in the suite's whole plan, of which ``only`` and a shard leave a part
    answered: dict[str, Trial] = field(default_factory=dict)  # by published rows: they are no part of a run
    earlier: dict[str, Record] = field(default_factory=dict)  # of every trial in the journal the record that counts
    done: dict[str, Record] = field(default_factory=dict)  # what need not be run, with the metrics of the suite alone
    again: dict[str, str] = field(default_factory=dict)  # why a trial that ended ok runs again
    warnings: tuple[str, ...] = ()  # of trials that will be skipped, or mean little
    notes: tuple[str, ...] = ()  # what a plan tells of the data, and a run does not warn of

    @property
    def suite(self) -> Suite:
        """The suite, as its profile has it."""
        return self.loaded.suite

    @property
    def registry(self) -> Registry:
        """What is installed, and in the plugin files."""
        return self.fingerprints.registry

    @property
    def left(self) -> dict[str, Trial]:
        """Trials to be run, by id."""
        return {name: trial for name, trial in self.trials.items() if name not in self.done}

    @property
    def shares_rows(self) -> bool:
        """Whether rows of other suites count as its own.

        A fresh run measures all anew; and seconds that an exclusive suite measures are those of an idle machine.
        """
        return not self.request.fresh and not self.suite.exclusive

    def look(self) -> None:
        """See what is done: in the suite's journal, or else by other suites of the output folder, or else published."""
        self.earlier = self._counting(_to_continue(self.store) if self.request.fresh else self.store.rows())
        lacking = self._sort_out()
        if self.shares_rows and (left := self.left):
            others = self._counting(rows_of_other_suites(self.store, left.keys())).items()
            current = {name: row for name, row in others if not self._outdated(row, left[name])}
            self.earlier |= {name: row for name, row in others if name in current or name not in self.earlier}
            lacking = self._sort_out()
        self._add_metrics(lacking)
        if self.request.beside is not None:
            left = self.left
            names = self.request.beside.answered(describe_designs(left, self.fingerprints), PlannedFields(left))
            self.answered |= {name: trial for name, trial in left.items() if name in names}
            self.trials = {name: trial for name, trial in self.trials.items() if name not in self.answered}

    def _counting(self, rows: Sequence[Record]) -> dict[str, Record]:
        """Of each trial the record that counts: the latest that ended ok, of those with all metrics if any."""
        code = {name: self.fingerprints.metric_code(trial).items() for name, trial in self.trials.items()}
        whole = [row for row in rows if row["trial"] in code and row["metric_code"].items() >= code[row["trial"]]]
        return best((row["trial"], row) for row in rows) | best((row["trial"], row) for row in whole)

    def _outdated(self, row: Record, trial: Trial) -> list[str]:
        """The metrics of a trial that a record of it lacks, or has as other code computed them."""
        now = self.fingerprints.metric_code(trial)
        return [name for name, code in now.items() if row["metric_code"].get(name) != code]

    def _sort_out(self) -> dict[str, list[str]]:
        """Which of the trials that ended ok are done, which run again and why; returns metrics that these lack."""
        outcomes = Outcomes(self.store.folder.parent)
        self.done, self.again = {}, {}
        lacking: dict[str, list[str]] = {}
        for name, trial in self.trials.items():
            row = self.earlier.get(name)
            if row is None or row["status"] != "ok":
                continue
            if not outcomes.are_there(row):
                self.again[name] = "its kept rows are not all there"
            elif self.request.keep_models and not self.store.keeps_model(name):
                self.again[name] = "its model was not kept"
            elif metrics := self._outdated(row, trial):
                lacking[name] = metrics
                states = ("changed" if metric in row["metric_code"] else "is new" for metric in metrics)
                self.again[name] = "; ".join(f"metric {m} {state}" for m, state in zip(metrics, states, strict=True))
            else:
                self.done[name] = _with_metrics_of(trial, row)
        return lacking

    def _add_metrics(self, lacking: Mapping[str, list[str]]) -> None:
        """Take as done what lacks but metrics which follow from the rows that were kept of it."""
        known = self.registry.metrics
        following = {
            name: metrics
            for name, metrics in lacking.items()
            if self.earlier[name]["outcomes"] and not any(known[metric].needs == "model" for metric in metrics)
        }
        for name, fields in self._computed(following).items():
            if all(fields["metrics"][metric] is not None for metric in following[name]):  # else the trial says why
                row, trial = self.earlier[name], self.trials[name]
                code = {**row["metric_code"], **self.fingerprints.metric_code(trial)}
                self.done[name] = _with_metrics_of(trial, changed(row, {**fields, "metric_code": code}))
                del self.again[name]

    def _computed(self, metrics: Mapping[str, list[str]]) -> dict[str, dict[str, Any]]:
        """What `extended_all` makes of records; of those whose metrics hang or end their process nothing."""
        names, folder = list(metrics), self.store.folder.parent.resolve()
        rows = [
            (changed(self.earlier[name], {}), [DeclaredMetric(metric, self.plugins) for metric in metrics[name]])
            for name in names
        ]
        if all(self.registry.is_own(self.registry.metrics[each]) for listed in metrics.values() for each in listed):
            return dict(zip(names, extended_all(folder, rows), strict=True))
        starts = range(0, len(rows), _BATCH)
        answers = call_in_turn(extended_all, [(folder, rows[start : start + _BATCH]) for start in starts], _SECONDS)
        return {
            name: fields
            for start, answer in zip(starts, answers, strict=True)
            if not isinstance(answer, Exception)
            for name, fields in zip(names[start : start + _BATCH], answer, strict=True)
        }

    def named_rows(self) -> dict[str, Record]:
        """What is done, under the names that this suite has for it; what was measured stays."""
        rows = {}
        for name, row in self.done.items():
            fields = self.trials[name].fields
            naming = {key: fields[key] for key in NAMING}
            rows[name] = changed(row, {**naming, "params": row.get("params") or fields["params"]})
        return rows

    def expected(self, left: Mapping[str, Trial] | None = None) -> Forecast:
        """How long the trials left, or these of them, may take."""
        hours, left = self.suite.hours, self.left if left is None else left
        whole = sum(block.planned * len(block.combinations) for block in self.blocks)
        kinds = [(trial.dataset.label, trial.algorithm.label) for trial in left.values()]
        declared = None if hours is None else 3600 * hours / whole
        return forecast(kinds, self.earlier.values(), self.loaded.profile, declared)


def _with_metrics_of(trial: Trial, row: Record) -> Record:
    """A record without the metrics that the trial does not ask for."""
    if len(row["metrics"]) <= len(trial.metrics):
        return row
    fields: Mapping[str, Any] = row
    parts = {key: fields[key] for key in ("metrics", "metric_code", "no_value")}
    return changed(
        row,
        {key: {name: part[name] for name in trial.metrics if name in part} for key, part in parts.items()},
    )


def _to_continue(store: Store) -> list[Record]:
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


def plan_suite(request: Request) -> Plan:
    """The plan of one suite, which is no collection of several."""
    collection, plans = plan_suites(request)
    if not collection.is_one:
        raise SuiteError(f"{collection.loaded.source.path}: 'include' makes it a collection of several suites")
    return plans[0]


def plan_suites(request: Request, limits: Limits = Limits()) -> tuple[Collection, list[Plan]]:  # noqa: B008
    """Expand a suite, or all that a collection includes, and see what is done of those that have trials asked for.

    Parameters
    ----------
    request : Request
    limits : Limits, optional
        Of looking at a data set, which a worker process does.
    """
    _ = request.beside  # what cannot be opened is said first
    collection = load_collection(request.suite, request.profile, request.settings)
    drafts = [_draft(loaded, request) for loaded in collection.suites]
    mistakes = [mistake for draft in drafts for mistake in draft.mistakes]
    if mistakes:  # what its data shows is told too
        for draft in drafts:
            mistakes += draft.look_at_data(None, limits).mistakes
        raise SuiteError(told_at_once(list(dict.fromkeys(mistakes))))
    every = [planned_trials(draft.blocks) for draft in drafts]
    names = [draft.fingerprints.identify_all(trials) for draft, trials in zip(drafts, every, strict=True)]
    ids = {id(trial): name for pair in zip(every, names, strict=True) for trial, name in zip(*pair, strict=True)}
    selected = set(map(id, select([trial for trials in every for trial in trials], request.only or {}, ids)))
    plans = []
    for draft, trials in zip(drafts, every, strict=True):
        if selected.isdisjoint(map(id, trials)):
            continue
        plan = _plan(request, draft, trials, ids, selected)
        plan.look()
        waiting = list(plan.left.values())
        findings = draft.look_at_data({trial.dataset.label for trial in waiting}, limits)
        mistakes += findings.mistakes
        if not mistakes:
            skipped = warnings_of_trials(waiting, plan.registry)
            plan.warnings = (*_none_in_shard(plan), *findings.warnings, *skipped)
            plan.notes = tuple(findings.notes)
        plans.append(plan)
    if mistakes:
        raise SuiteError(told_at_once(list(dict.fromkeys(mistakes))))
    return collection, plans


@dataclass
class _Draft:
    """A suite that was read, with what it runs, or with what is wrong with its names."""

    loaded: Loaded
    fingerprints: Fingerprints
    plugins: tuple[str, ...]
    mistakes: list[str]
    blocks: Sequence[Block] = ()

    def look_at_data(self, labels: set[str] | None, limits: Limits) -> DataFindings:
        return look_at_data(self.loaded, self.fingerprints, self.plugins, labels, limits)


def _draft(loaded: Loaded, request: Request) -> _Draft:
    own_files = [str(Path(name).resolve()) for name in request.plugins]
    files = loaded.plugin_files(own_files)
    known = registry(files)
    # An installed plugin that is broken may have nothing to do with this suite; a file was asked for.
    if broken := [str(problem) for problem in known.problems if problem.plugin in known.files]:
        raise SuiteError("; ".join(broken))
    fingerprints = Fingerprints(known)
    loaded = join(loaded, known, request.add, own_files)
    if mistakes := name_mistakes(loaded, fingerprints, files):
        return _Draft(loaded, fingerprints, files, mistakes)
    try:
        if request.until_decided:
            loaded = with_repetitions(loaded, known, request.most, request.repetitions.get(loaded.suite.name, 0))
        made = blocks(loaded, known, files)
    except SuiteError as error:
        return _Draft(loaded, fingerprints, files, [str(error)])
    return _Draft(loaded, fingerprints, files, [], made)


def _plan(request: Request, draft: _Draft, trials: Sequence[Trial], ids: Mapping[int, str], selected: set[int]) -> Plan:
    """The plan of a suite, of whose trials those are asked for that are selected and of the request's shard."""
    places = [
        block.place(repetition) + offset
        for block in draft.blocks
        for repetition in range(block.planned)
        for offset in range(len(block.combinations))
    ]
    index, count = request.part
    units = _units(draft.blocks, trials, request.until_decided)
    numbers: dict[Any, int] = {}  # of the units that are selected
    chosen = [
        (ids[id(trial)], trial, place)
        for trial, place, unit in zip(trials, places, units, strict=True)
        if id(trial) in selected and numbers.setdefault(unit, len(numbers)) % count == index - 1
    ]
    return Plan(
        request,
        draft.loaded,
        draft.fingerprints,
        draft.plugins,
        draft.blocks,
        Store(Path(request.out), draft.loaded.suite.name),
        {name: trial for name, trial, _ in chosen},
        {name: place for name, _, place in chosen},
    )


def _units(made: Sequence[Block], trials: Sequence[Trial], whole: bool) -> list[Any]:
    """What of each trial has to be equal so that two stay in one shard: those that can share a fit.

    Where repetitions go on until all is decided, it is the dataset, or its group, for what is compared must be there.
    """
    if not whole:
        return [(id(trial.dataset), trial.repetition, trial.algorithm.label) for trial in trials]
    block_of = {id(trial.dataset): place for place, block in enumerate(made) for trial in block.combinations}
    return [trial.dataset.group or block_of[id(trial.dataset)] for trial in trials]


def _none_in_shard(plan: Plan) -> list[str]:
    if plan.trials or plan.answered:
        return []
    whole = " (with --until-decided a dataset, or a group of them, stays in one part)"
    return [
        f"{plan.suite.name}: --shard {plan.request.shard} has no trials, for there are fewer parts to share"
        + (whole if plan.request.until_decided else "")
    ]


SELECTABLE = ("trial", "dataset", "group", "algorithm", "adversary", "repetition", "budget", "axis_value")


def select(
    trials: Iterable[Trial], only: Mapping[str, str | Sequence[str]], ids: Mapping[int, str] | None = None
) -> list[Trial]:
    """The trials whose fields equal the given ones.

    Parameters
    ----------
    trials : iterable of Trial
        Of one suite, or of several: a value need not be in each of them, but in one.
    only : mapping of str to str, or to a sequence of them
        Field (one of `SELECTABLE`, or ``dataset.PARAM``) to its value, or to several of which it has one; compared as
        text or as numbers; of a ``trial`` the beginning of its id is enough.
    ids : mapping of int to str, optional
        By `id` of the trial.

    Raises
    ------
    SuiteError
        A field is unknown, or no trial has a value.
    """
    trials = list(trials)
    for key, wanted in only.items():
        if key not in SELECTABLE and not key.startswith("dataset."):
            hint = Suggestion(key, SELECTABLE, otherwise=f"known: {', '.join(SELECTABLE)}, dataset.PARAM")
            raise SuiteError(f"--only {key}: unknown field; {hint}")
        own = [(ids or {}).get(id(trial)) if key == "trial" else _value(trial, key) for trial in trials]
        known = sorted(set(map(str, own)))
        matching: set[str] = set()
        for value in [wanted] if isinstance(wanted, str) else wanted:
            if key == "trial":
                equal = {text for text in known if text.startswith(value)}
            else:
                equal = {text for text in known if text == value or _number(text) == _number(value)}
            if not equal:
                some = [*known[:20], "..."] if len(known) > 20 else known
                hint = Suggestion(value, known, otherwise=f"{key} is one of {', '.join(some)}")
                raise SuiteError(f"--only {key}={value} selects no trial; {hint}")
            matching |= equal
        trials = [trial for trial, value in zip(trials, own, strict=True) if str(value) in matching]
    return trials


def _value(trial: Trial, key: str) -> Any:
    if key.startswith("dataset."):
        return trial.dataset.params.get(key.partition(".")[2])
    return trial.fields[key]


def _number(text: str) -> float | object:
    try:
        return float(text)
    except ValueError:
        return object()  # equal to nothing


def warnings_of(plans: Sequence[Plan]) -> list[str]:
    """What is said once before anything runs: plugins that are broken, then what was seen of the suites."""
    problems = [str(problem) for plan in plans for problem in plan.registry.problems]
    return list(dict.fromkeys([*problems, *(warning for plan in plans for warning in plan.warnings)]))


def left_in_turn(plans: Sequence[Plan]) -> list[dict[str, Trial]]:
    """What is left of each suite of a collection when its turn comes: a trial that suites share runs in the first.

    It runs again where a later one asks for a metric that rows do not tell.
    """
    measured: dict[str, set[str]] = defaultdict(set)
    turns = []
    for plan in plans:
        known, left = plan.registry.metrics, {}
        for name, trial in plan.left.items():
            of_model = {metric for metric in trial.metrics if known[metric].needs == "model"}
            if not (plan.shares_rows and name in measured and of_model <= measured[name]):
                left[name] = trial
            measured[name] |= of_model
        turns.append(left)
    return turns


@dataclass(frozen=True)
class Forecast:
    """What is expected, and why."""

    seconds: float | None  # of one worker; None where nothing is known
    origin: str  # what it rests on, in words
    elsewhere: bool = False  # whether it rests on trials of other profiles, which may be of another size


def forecast(left: Sequence[tuple[str, str]], done: Iterable[Record], profile: str, declared: float | None) -> Forecast:
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
    if not own and declared is not None:
        return Forecast(declared * len(left), "its 'hours'")
    if not timed:
        return Forecast(None, "no trial was run")
    seconds: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in own or timed:
        for key in ((row["dataset"], row["algorithm"]), (row["algorithm"],), ()):
            seconds[key].append(row["cpu_seconds"] or 0.0)
    means = {key: fmean(values) for key, values in seconds.items()}
    total = sum(next(means[key] for key in (kind, kind[1:], ()) if key in means) for kind in left)
    if own:
        return Forecast(total, "its own trials")
    others = ", ".join(sorted({str(row.get("profile")) for row in timed}))
    return Forecast(total, f"trials of profile {others}", elsewhere=True)
