"""What is asked, and what is planned of a suite: its trials, which of them are done, which are left, and why."""

import math
import re
from collections import UserDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from benchkit.check.data import Skipped, look_at_data, warnings_of_trials
from benchkit.check.names import name_mistakes
from benchkit.errors import JournalError, PublishError, RequestError
from benchkit.execute.apart import call_all
from benchkit.identity.fingerprints import Fingerprints, describe_designs
from benchkit.journal.manifest import owners, read_manifest
from benchkit.journal.rows import Outcomes, extended_all
from benchkit.journal.store import Store, best, model_path
from benchkit.plugin.declarations.exchanged import RowsBeside
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry, registry
from benchkit.plugin.parameters import suggestion
from benchkit.suite.expand import expand, join, left_out
from benchkit.suite.load import InvalidSuiteError, Loaded, load_collection
from benchkit.suite.names import NO_ADVERSARY, is_number
from benchkit.suite.schema import Repetitions
from benchkit.suite.source import SuiteError, told_at_once
from benchkit.suite.trial import Trial
from benchkit.suite.whole_suite import Suite
from benchkit.trial.record import Record, changed

# What a record calls its trial: none of it decides the outcome.
NAMING = ["cell", "suite", "profile", "dataset", "dataset_params", "group", "algorithm", "adversary"]
NAMING += ["axis", "axis_value"]

# Trials whose metrics are computed from rows in one call of a worker, and the seconds that it may take.
_BATCH, _SECONDS = 500, 60.0


@dataclass
class Request:
    """What is asked; see `benchkit.run`. A contradiction in it is a `SuiteError`."""

    suite: str | Mapping[str, Any]
    profile: str | None = None
    out: str | Path = "runs"
    only: Mapping[str, Any] | None = None  # fields to values, of which one may stand alone
    settings: Mapping[str, Any] | None = None
    plugins: Sequence[str | Path] = ()
    add: Sequence[str] = ()
    shard: str | None = None
    keep_models: bool = False
    fresh: bool = False
    against: str | Path | None = None
    until_decided: bool = False
    within: float | None = None
    most: int | None = None
    repetitions: Mapping[str, int] = field(default_factory=dict)  # by suite, of a look of `run_until_decided`
    ended: frozenset[str] = frozenset()  # trials of its earlier looks, which are not run again if they failed
    part: tuple[int, int] = field(init=False)  # of the trials, counted from one, and of how many parts

    def __post_init__(self) -> None:
        self.only = {
            key: [str(values)] if isinstance(values, str) or not isinstance(values, Iterable) else [*map(str, values)]
            for key, values in (self.only or {}).items()
        }
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", self.shard or "1/1")
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise SuiteError(f"--shard {self.shard:.80}: expected I/N with 1 <= I <= N, such as 2/5")
        self.part = int(match[1]), int(match[2])
        for name, value in (("within", self.within), ("most", self.most)):
            if value is not None and not self.until_decided:
                raise SuiteError(f"--{name} limits repetitions that go on: give it together with --until-decided")
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise SuiteError(f"--{name} {value!r}: expected a number above 0")
        if self.until_decided and "repetition" in (self.only or {}):
            raise SuiteError("--only repetition chooses repetitions, and --until-decided asks for as many as it takes")


def open_rows(reference: str | Path, known: Registry) -> tuple[str, RowsBeside]:
    """Whose the rows of a place are, ``NAME:PLACE`` or one of the source that takes unnamed places, and the rows."""
    name, colon, place = str(reference).partition(":")
    if not colon or name not in known.row_sources:
        unnamed = [source.name for source in known.row_sources.values() if source.takes_unnamed]
        name, place = next(iter(unnamed), name), str(reference)
    source = known.row_sources[name]
    with guarded(f"{of(source)}: open", passing=(RequestError,), raising=PublishError):
        rows: RowsBeside = source.open(place=place)
    return of(source), rows


class PlannedFields(UserDict[str, Any]):
    """The fields of each trial's future record, by id; made when asked for, since all would take 2 kB each."""

    def __getitem__(self, trial_id: str) -> Mapping[str, Any]:
        fields: Mapping[str, Any] = self.data[trial_id].fields
        return fields


@dataclass
class Plan:
    """The trials of a suite that are asked for: which are done, which are left, and why."""

    request: Request
    loaded: Loaded  # the suite, as its profile has it
    suite: Suite
    registry: Registry
    fingerprints: Fingerprints
    store: Store
    plugins: tuple[str, ...]  # files, absolute
    trials: dict[str, Trial]  # by id, in order: those that end as rows of a run
    trials_of_suite: int
    beside: tuple[str, RowsBeside] | None = None  # rows from elsewhere, which may answer trials, and whose they are
    answered: dict[str, Trial] = field(default_factory=dict)  # by published rows: they are no part of a run
    earlier: dict[str, Record] = field(default_factory=dict)  # of every trial in a journal the record that counts
    done: dict[str, Record] = field(default_factory=dict)  # what need not be run, as this suite asks for and names it
    again: dict[str, str] = field(default_factory=dict)  # why trials run again
    warnings: list[str] = field(default_factory=list)  # of plugins, and of trials that will be skipped or mean little
    leaks: dict[str, list[str]] = field(default_factory=dict)  # of each dataset that was looked at
    skipped: set[Skipped] = field(default_factory=set)

    @property
    def left(self) -> dict[str, Trial]:
        """Trials to be run, by id."""
        return {name: trial for name, trial in self.trials.items() if name not in self.done}

    @property
    def will_be_skipped(self) -> set[str]:
        """Those of the trials left that are known to be skipped, as a method or an adversary does not take the data."""
        skipped = set[str]()
        for name, trial in self.left.items():
            data, method = trial.dataset.label, trial.algorithm.label
            adversary = trial.adversary.label if trial.adversary else NO_ADVERSARY
            several = {(data, method, ""), (data, "", adversary), ("", method, adversary), (data, method, adversary)}
            if not self.skipped.isdisjoint(several):
                skipped.add(name)
        return skipped

    def look(self) -> None:
        """See what is done: in the suite's journal, or else published."""
        rows = self.store.rows()
        if self.request.fresh:  # only rows of a fresh run that did not come to its end, which its command continues
            runs, newest = self.store.runs(), dict[str, Any]()
            with suppress(IndexError, JournalError):  # a damaged manifest says of no row that it was fresh
                newest |= read_manifest(runs[-1])
            goes_on = newest.get("fresh") and not newest.get("complete")
            origins = set(owners(newest, runs[-1].name).values()) if goes_on else set[str]()
            rows = [row for row in rows if row["run"] in origins]
        if lacking := self._take(rows):
            self._add_metrics(lacking)
        if self.beside is not None:
            left, (whose, beside) = self.left, self.beside
            with guarded(f"{whose}: answered", passing=(RequestError,), raising=PublishError):
                names = beside.answered(describe_designs(left, self.fingerprints), PlannedFields(left))
            self.answered |= {name: trial for name, trial in left.items() if name in names}
            self.trials = {name: trial for name, trial in self.trials.items() if name not in self.answered}

    def _take(self, rows: Iterable[Record]) -> dict[str, list[str]]:
        """Sort out which trials are done by these rows, and why others run again; returns metrics that rows lack.

        Of each trial that record counts which ended ok last, of those with all metrics if there are any.
        """
        outcomes = Outcomes(self.store.folder.parent)
        code = {name: self.fingerprints.metric_code(trial) for name, trial in self.trials.items()}
        listed = [(row["trial"], row) for row in rows]
        whole = [pair for pair in listed if pair[0] in code and pair[1]["metric_code"].items() >= code[pair[0]].items()]
        lacking: dict[str, list[str]] = {}
        self.earlier = best(listed) | best(whole)
        for name, row in self.earlier.items():
            if name not in code:
                continue
            metrics = [metric for metric, own in code[name].items() if row["metric_code"].get(metric) != own]
            reason = ""
            if row["status"] != "ok":
                if name in self.request.ended:
                    self.done[name] = _as_asked(self.trials[name], row)
                    continue
                reason = f"{row['status']} before"
            elif not outcomes.are_there(row):
                reason = "its kept rows are not all there"
            elif self.request.keep_models and model_path(self.store.models, name) is None:
                reason = "its model was not kept"
            elif metrics:
                lacking[name] = metrics
                never = {metric: "failed before" if metric in row["no_value"] else "is new" for metric in metrics}
                states = never | dict.fromkeys(row["metric_code"], "changed")
                reason = "; ".join(f"metric {metric} {states[metric]}" for metric in metrics)
            if reason:
                self.again[name] = reason
            else:
                self.done[name] = _as_asked(self.trials[name], row)
        return lacking

    def _add_metrics(self, lacking: Mapping[str, list[str]]) -> None:
        """Take as done what lacks but metrics which follow from the rows that were kept of it; workers compute them."""
        folder = self.store.folder.parent.resolve()
        of_model = {name for name, metric in self.registry.metrics.items() if metric.needs == "model"}
        follow = [name for name, metrics in lacking.items() if of_model.isdisjoint(metrics) and name not in self.done]
        names = [name for name in follow if self.earlier[name]["outcomes"]]
        rows = [(self.earlier[name], lacking[name]) for name in names]
        starts = range(0, len(rows), _BATCH)
        calls = [(folder, self.plugins, rows[start : start + _BATCH]) for start in starts]
        for start, answer in zip(starts, call_all(extended_all, calls, [_SECONDS] * len(calls)), strict=True):
            if isinstance(answer, Exception):
                continue  # they hang, or end their process: their trials run, and say so
            for name, fields in zip(names[start : start + _BATCH], answer, strict=True):
                if all(fields["metrics"][metric] is not None for metric in lacking[name]):  # else the trial says why
                    row, trial = self.earlier[name], self.trials[name]
                    code = {**row["metric_code"], **self.fingerprints.metric_code(trial)}
                    self.done[name] = _as_asked(trial, changed(row, {**fields, "metric_code": code}))
                    del self.again[name]


def _as_asked(trial: Trial, row: Record) -> Record:
    """A record with the metrics that the trial asks for alone, and the names that its suite has; the rest stays."""
    planned, measured = trial.fields, cast(Mapping[str, Any], row)
    fields = {key: planned[key] for key in NAMING} | {"params": row.get("params") or planned["params"]}
    if row["status"] == "ok" and (len(row["metrics"]) > len(trial.metrics) or row["error"]):
        fields |= {"error_type": None, "error": None}  # of a metric that is not asked for, or has a value now
        for key in ("metrics", "metric_code", "no_value"):
            fields[key] = {name: measured[key][name] for name in trial.metrics if name in measured[key]}
    return changed(row, fields)


def plan_suite(request: Request) -> Plan:
    """The plan of one suite, which is no collection of several."""
    collection, plans = plan_suites(request)
    if collection.suite.include:
        raise SuiteError(f"{collection.source.path}: 'include' makes it a collection of several suites")
    return plans[0]


def plan_suites(request: Request) -> tuple[Loaded, list[Plan]]:
    """Expand a suite, or all that a collection includes, and see what is done of those that have trials asked for."""
    beside = None
    if request.against is not None:  # what cannot be opened is said first
        beside = open_rows(request.against, registry(tuple(str(Path(name).resolve()) for name in request.plugins)))
    mistakes: list[str] = []
    try:
        collection = load_collection(request.suite, request.profile, request.settings)
    except InvalidSuiteError as error:
        with suppress(RequestError):
            if error.rest is not None:
                plan = _expand(error.rest, request, mistakes)
                mistakes += look_at_data(plan.loaded, plan.fingerprints, plan.plugins)[0]
        raise SuiteError(told_at_once(dict.fromkeys([*error.lines, *mistakes]))) from None
    plans = [_expand(loaded, request, mistakes) for loaded in collection.suites]
    if not (names_are_wrong := bool(mistakes)):
        every = [(name, trial) for plan in plans for name, trial in plan.trials.items()]
        selected = {id(trial) for _, trial in (select(every, request.only) if request.only else every)}
        plans = [plan for plan in plans if not selected.isdisjoint(map(id, plan.trials.values()))]
        for plan in plans:
            plan.trials = {name: trial for name, trial in plan.trials.items() if id(trial) in selected}
            # Trials that can share a fit stay in one shard; where repetitions go on until all is decided, so do those
            # of a group of data sets, or of one label, for what is compared must be there.
            (index, count), units = request.part, dict[Any, int]()
            for name, trial in list(plan.trials.items()):
                unit: Any = id(trial.dataset), trial.repetition, trial.algorithm.label
                if request.until_decided:
                    unit = trial.dataset.group or ("", trial.dataset.label)
                if units.setdefault(unit, len(units)) % count != index - 1:
                    del plan.trials[name]
            plan.beside = beside
            plan.look()
    for plan in plans:
        waiting = list(plan.left.values())
        # Where names are wrong, what all of the data shows is told too.
        labels = None if names_are_wrong else {trial.dataset.label for trial in waiting}
        wrong, doubtful, plan.leaks, plan.skipped = look_at_data(plan.loaded, plan.fingerprints, plan.plugins, labels)
        mistakes += wrong
        if not mistakes:
            silent, without = warnings_of_trials(waiting, plan.registry, plan.loaded)
            plan.warnings += [*doubtful, *silent]
            plan.skipped |= without
            for name in plan.will_be_skipped:  # and has been, for the same reason
                if name in plan.earlier and plan.earlier[name]["status"] == "skipped":
                    plan.done[name] = _as_asked(plan.trials[name], plan.earlier[name])
                    plan.again.pop(name, None)
        if not mistakes and not plan.trials and not plan.answered:
            whole = " (with --until-decided a dataset, or a group of them, stays in one part)"
            few = f"--shard {request.shard} has no trials, for there are fewer parts to share"
            plan.warnings.append(f"{plan.suite.name}: {few}{whole if request.until_decided else ''}")
    if mistakes:
        raise SuiteError(told_at_once(list(dict.fromkeys(mistakes))))
    return collection, plans


def _expand(loaded: Loaded, request: Request, mistakes: list[str]) -> Plan:
    """All trials of a suite; none where something is wrong with its names, which joins the mistakes."""
    own_files = [str(Path(name).resolve()) for name in request.plugins]
    files = tuple(dict.fromkeys([*loaded.plugins, *own_files]))
    known = registry(files)
    # An installed plugin that is broken may have nothing to do with this suite; a file was asked for.
    if broken := [problem for plugin, problem in known.problems if plugin in known.files]:
        raise SuiteError("; ".join(broken))
    loaded = join(loaded, known, request.add, own_files) if request.add or own_files else loaded
    fingerprints = Fingerprints(known)
    trials: list[Trial] = []
    wrong = name_mistakes(loaded, fingerprints, files)
    mistakes += wrong
    if not (wrong or loaded.partial):
        try:
            loaded = _with_repetitions(loaded, request) if request.until_decided else loaded
            trials = expand(loaded, known, files)
        except SuiteError as error:
            mistakes.append(str(error))
    warnings = [problem for _, problem in known.problems]
    for file in own_files:
        if names := left_out(loaded, known, file):
            why = f"no method of {Path(file).name} takes part, for the suite names other things of it: list methods"
            warnings.append(f"{why} there ({', '.join(names)}), or give --add {names[0]}")
    store = Store(Path(request.out), loaded.suite.name)
    by_id = dict(zip(fingerprints.identify_all(trials), trials, strict=True))
    return Plan(request, loaded, loaded.suite, known, fingerprints, store, files, by_id, len(trials), warnings=warnings)


def _with_repetitions(loaded: Loaded, request: Request) -> Loaded:
    """The suite with the repetitions of every dataset that a look asks for, within its least and most."""
    from benchkit.statistics.estimate import LEVEL
    from benchkit.statistics.time_uniform import fewest

    suite, path = loaded.suite, loaded.source.path
    datasets, shared = [], suite.split
    chosen = (request.only or {}).get("dataset", [entry.display_name for entry in suite.datasets])
    for entry in suite.datasets:
        split, label = entry.split or suite.split, entry.display_name
        if label not in chosen:
            datasets.append(entry)
            continue
        if split.method == "k-fold" or split.time is not None or split.repetitions == 1:
            needs = "write 'method: random', no 'time' and 'repetitions: {least: 5, most: 100}' in 'split'"
            others = ", or choose others with --only dataset=NAME" * (len(suite.datasets) > 1)
            raise SuiteError(f"{path}: {label}: --until-decided needs independent repetitions: {needs}{others}")
        own, limit = split.repetitions, request.most
        if not isinstance(own, Repetitions):
            # A suite's number is of runs without --until-decided; one that --set gives beside it is the most.
            if "split.repetitions" in (request.settings or {}):
                limit = limit or own
            own = Repetitions()
        limit = limit or own.most
        methods = {method.display_name for method in suite.algorithms if label in (method.datasets or [label])}
        # Without claims all pairs of methods share the level of their intervals, which takes more repetitions.
        compared = 1 if suite.expect else max(1, math.comb(len(methods), 2))
        least = max(own.least, fewest(1 - (1 - LEVEL) / compared))
        if limit < least:
            few = f"nothing is decided below {least} repetitions, and {limit} are the most"
            raise SuiteError(f"{path}: {label}: {few}: give --most {least} or more, or 'most' in 'repetitions'")
        asked = max(request.repetitions.get(suite.name, 0), own.least)
        split = split.model_copy(update={"repetitions": Repetitions(least=min(asked, limit), most=limit)})
        if entry.split is None:
            shared = split
        datasets.append(entry if entry.split is None else entry.model_copy(update={"split": split}))
    return replace(loaded, suite=suite.model_copy(update={"split": shared, "datasets": datasets}))


def select(trials: Sequence[tuple[str, Trial]], only: Mapping[str, Sequence[str]]) -> Sequence[tuple[str, Trial]]:
    """The trials, with their ids, whose fields have one of the given values each, compared as text or as numbers."""
    selectable = ("trial", "dataset", "group", "algorithm", "adversary", "repetition", "budget", "axis_value")
    for key, wanted in only.items():
        if key not in selectable:
            hint = suggestion(key, selectable, otherwise=f"known: {', '.join(selectable)}")
            raise SuiteError(f"--only {key}: unknown field; {hint}")
        texts = [name if key == "trial" else str(trial.fields[key]) for name, trial in trials]
        known, matching = sorted(set(texts)), set[str]()
        for value in wanted:
            # Of a trial the beginning of its id is enough.
            equal = {text for text in known if text == value or (key == "trial" and text.startswith(value))}
            if is_number(value) and key in ("repetition", "budget", "axis_value"):  # an id may read as 12e34, or a name
                equal |= {text for text in known if is_number(text) and float(text) == float(value)}
            if not equal:
                some = [*known[:20], "..."] if len(known) > 20 else known
                hint = suggestion(value, known, otherwise=f"{key} is one of {', '.join(some)}")
                raise SuiteError(f"--only {key}={value} selects no trial; {hint}")
            matching |= equal
        trials = [pair for pair, text in zip(trials, texts, strict=True) if text in matching]
    return trials
