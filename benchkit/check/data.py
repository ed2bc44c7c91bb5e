"""What a suite asks of its data, and the data does not have, or does not allow; and who does not take it.

Data that is at hand is loaded and prepared once, in a worker process under limits, and what there is to know of it is
kept by content. Data that would be drawn, fetched, or take long to read is left alone.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from benchkit.check.names import Checks, parameters_of
from benchkit.data import leaks
from benchkit.data.files import locate_file
from benchkit.data.leaks import leaks_of
from benchkit.environment.place import EnvironmentMissingError, build_command, place_of
from benchkit.execute.apart import SECONDS, call_once
from benchkit.identity.fingerprints import Fingerprints, prepared_by
from benchkit.plugin.declarations import Dataset, DataUnavailableError, Features, Task
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.manager import Registry, UnknownNameError, one_line
from benchkit.plugin.manager import registry as known_plugins
from benchkit.plugin.nearest_name import suggestion
from benchkit.suite.expand import planned_datasets
from benchkit.suite.load import Loaded
from benchkit.suite.names import digest, imputes, portable_params
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import Location
from benchkit.suite.trial import PlannedDataset, Trial
from benchkit.trial.refusals import DataKind, of_adversary, of_algorithm, takes_many_classes

_SMALL = 5 * 2**20  # a published file is read before the run only where that takes no time to speak of
# Looking at a data set may take so long, and a second more for each so many bytes of its files.
_SECONDS, _BYTES_A_SECOND = 10.0, 5 * 2**20


class Facts(NamedTuple):
    """What of data decides who takes it, and whether what a suite names is in it."""

    n_columns: int
    n_features: int  # a group being one
    feature_names: list[str]  # and those of groups behind them
    target_name: str
    total_value: float | None  # the sum of the feature values that belong to the data
    is_sparse: bool
    has_gaps: bool
    n_classes: int  # 0 where numbers are predicted
    n_training_groups: int | None  # groups of rows in the training part, where the split names groups
    trouble: str  # why the first repetition, or the last, cannot be prepared
    leaks: list[str]  # what of a user's own table may make scores look better than they are


class _Cell(NamedTuple):
    """A data set that is at hand, with the entry that asks for it, where that stands, and where its split stands."""

    planned: PlannedDataset
    declared: Dataset
    entry: DatasetEntry
    at: Location
    split_at: Location


def look_at_data(
    loaded: Loaded, fingerprints: Fingerprints, plugins: tuple[str, ...], labels: Collection[str] | None = None
) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """What is wrong with the data that is at hand, and with what methods and adversaries ask of it.

    Labels are those of the datasets that are looked at; all where None. Returns mistakes, each a line with its place
    and its remedy, with which nothing is to run; warnings: some trials will be skipped, or fail; and of each dataset
    that was looked at what may make its scores too good, which the warnings say as well.
    """
    checks = _DataChecks(loaded, fingerprints, plugins)
    checks.check(labels)
    return list(dict.fromkeys(checks.mistakes)), list(dict.fromkeys(checks.warnings)), checks.leaks


def _look(cell: PlannedDataset, plugins: tuple[str, ...], seed: int) -> list[Any]:
    """Load and prepare a data set: the fields of `Facts`, and what was warned of. Called in a worker.

    Where it cannot be loaded a `DataUnavailableError` or a ValueError says why.
    """
    from benchkit.trial.prepared import load_data, prepare_data
    from benchkit.trial.refusals import kind_of

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            data, declared = load_data(cell, plugins)
        except DataUnavailableError as error:
            raise DataUnavailableError(str(error)) from None  # as such, whatever a plugin derived from it
        except BaseException as error:  # SystemExit, too, is an answer
            raise ValueError(str(error) if isinstance(error, ValueError) else one_line(error)) from None
        trouble, n_training_groups = "", None
        try:
            for repetition in dict.fromkeys((0, cell.split.total - 1)):
                groups = prepare_data(cell, seed, repetition, plugins).train.groups
                n_training_groups = None if groups is None else len(set(groups.tolist()))
        except BaseException as error:
            trouble = " ".join(str(error).split()) if isinstance(error, ValueError) else one_line(error)
        kind = kind_of(data.X, data.y, declared.task)
    facts = Facts(
        n_columns=int(data.X.shape[1]),
        n_features=int(Features(data.X.shape[1], data.groups).n_features),
        feature_names=list(dict.fromkeys(map(str, [*data.feature_names, *data.group_names]))),
        target_name=data.target_name,
        total_value=None if data.feature_values is None else float(data.feature_values.sum()),
        is_sparse=kind.is_sparse,
        has_gaps=kind.has_gaps,
        n_classes=kind.n_classes,
        n_training_groups=n_training_groups,
        trouble=trouble,
        leaks=leaks_of(data, declared.task == "classification", not cell.split.by_columns) if declared.suffixes else [],
    )
    return [facts._asdict(), [str(warning.message) for warning in caught]]


def _takes_many_classes(name: str, params: Mapping[str, Any], plugins: tuple[str, ...]) -> bool:
    return takes_many_classes(known_plugins(plugins).algorithms[name], params)


class _DataChecks(Checks):
    """The checks; each adds what it finds."""

    def __init__(self, loaded: Loaded, fingerprints: Fingerprints, plugins: tuple[str, ...]) -> None:
        super().__init__(loaded, fingerprints.registry)
        self.fingerprints, self.plugins = fingerprints, plugins
        self.leaks: dict[str, list[str]] = {}

    def declared(self, kind: str, entry: Any, label: str = "") -> Any:
        """What an entry names, where it is for data of a label; None where it is not, or nothing is called so."""
        with suppress(UnknownNameError):
            if not label or not entry.datasets or label in entry.datasets:
                return self.registry.catalogue(kind)[entry.name]
        return None

    def check(self, labels: Collection[str] | None) -> None:
        cells: list[_Cell] = []
        kinds: dict[str, list[DataKind]] = defaultdict(list)  # by label
        for position, entry in enumerate(self.suite.datasets):
            if entry.name in self.registry.datasets and (labels is None or entry.display_name in labels):
                declared = self.registry.datasets[entry.name]
                kinds[entry.display_name].append(DataKind(declared.task))  # which is known without the data
                cells += self.cells(entry, declared, ["datasets", position])
        for cell, facts in zip(cells, self.read(cells), strict=True):
            if facts is not None:
                self.columns(cell, facts)
                self.split(cell, facts)
                self.leaks.setdefault(cell.planned.label, []).extend(facts.leaks)
                for leak in facts.leaks:
                    self.warn(cell.at, f"{cell.planned.label}: {leak}")
                gaps = facts.has_gaps and not imputes(cell.planned.preprocess)
                kind = DataKind(cell.declared.task, facts.is_sparse, gaps, facts.n_classes)
                kinds[cell.entry.display_name].append(kind)
        self.refusals(kinds)

    def cells(self, entry: DatasetEntry, declared: Dataset, at: Location) -> Iterator[_Cell]:
        """The data sets of an entry that are at hand."""
        try:
            parameters = parameters_of(declared)
        except Exception:  # it cannot be imported, which is the plugin's mistake
            return
        axis = self.suite.axis
        # An axis over a dataset's parameter has as many data sets as values, and may give what loading needs.
        over_data = axis is not None and axis.parameter.startswith("dataset.")
        # No data is asked for by names that it does not know.
        known = parameters is None or parameters.issuperset(entry.params)
        if over_data or not known or not _at_hand(declared):
            return
        try:
            planned = planned_datasets(self.suite, entry, declared)
        except (ValueError, TypeError) as error:
            self.mistake(at, str(error))
            return
        split_at: Location = ["split"] if entry.split is None else [*at, "split"]
        test = planned[0].split.test if planned else None
        if isinstance(test, str) and not declared.several_files:
            message = f"{declared.name} takes one file alone: name its test rows by a column, "
            self.mistake([*split_at, "test"], message + "{column: NAME, value: VALUE}")
        elif isinstance(test, str) and not (file := Path(test).expanduser()).is_file():
            where = "" if file.is_absolute() else f" in {Path.cwd()}"
            self.mistake([*split_at, "test"], f"there is no file {test}{where}")
        else:
            yield from (_Cell(each, declared, entry, at, split_at) for each in planned)

    def read(self, cells: Sequence[_Cell]) -> Iterator[Facts | None]:
        """The facts of each, looked at in a worker process unless they are kept; None where there are none."""
        calls = [(cell.planned, self.plugins, self.suite.seed) for cell in cells]
        keys, seconds = list(map(self._key, cells)), list(map(_seconds, cells))
        for cell, answer in zip(cells, call_once("facts", keys, _look, calls, seconds), strict=True):
            if isinstance(answer, Exception):
                self.unreadable(cell, answer)
                yield None
            else:
                for text in answer[1]:
                    warnings.warn(text, stacklevel=2)
                yield Facts(**answer[0])

    def _key(self, cell: _Cell) -> str:
        """Of all that decides the facts; what other code has kept may say something else."""
        planned, sources = cell.planned, self.fingerprints
        code = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in (__file__, leaks.__file__)]
        code += [sources.protocol, sources.code("dataset", planned.name, planned)]
        for kind, name in prepared_by(planned):
            with suppress(UnknownNameError):
                code.append(sources.code(kind, name))
        return digest([planned.whole.identity, planned.protocol, planned.label, self.suite.seed, code], 32)

    def unreadable(self, cell: _Cell, why: Exception) -> None:
        """Tell why data could not be read."""
        message = str(why)
        if isinstance(why, DataUnavailableError):
            place: Location = [*cell.at, "params", "path"]
            if cell.declared.paths is not None and cell.entry.optional:
                self.warn(place, f"{message}; its trials will be skipped")
            elif cell.declared.paths is not None:  # a published file that is absent is skipped, and that is told then
                self.mistake(place, message)
        elif isinstance(why, ValueError):
            # The parameter that the message quotes is the one to mend.
            params = cell.planned.params.items()
            quoted = [key for key, value in params if repr(value) in message or f"{key} is" in message]
            self.mistake([*cell.at, "params", quoted[0]] if quoted else cell.at, " ".join(message.split()))
        else:  # it took more than it may, or ended its process
            ended = f"reading it {message}; its trials will show more"
            self.warn(cell.at, f"{cell.planned.label} was not looked at before the run: {ended}")

    def columns(self, cell: _Cell, facts: Facts) -> None:
        """A label that names a column, features that are not there, and budgets above what there is to spend."""
        planned, label = cell.planned, cell.entry.label
        # Whoever gives a label that names a column meant the column to predict.
        if cell.declared.paths is not None and label in {*facts.feature_names, facts.target_name}:
            remedy = f"write 'target: {label}' for the column to predict, and another label or none"
            only = "is a column of the data, and 'label' is only the name that reports show"
            self.mistake([*cell.at, "label"], f"{label!r} {only}: {remedy}")
        values, n_columns = planned.feature_values, facts.n_columns
        total = facts.total_value if values == "given" else None if isinstance(values, str) else float(sum(values))
        for position, entry in enumerate(self.suite.adversaries):
            if (declared := self.declared("adversaries", entry, planned.label)) is None:
                continue
            at: Location = ["adversaries", position]
            param = declared.features_param or ""
            named = given if isinstance(given := entry.params.get(param), list) else []
            for place, name in enumerate(named):
                message = ""
                if name in named[:place]:
                    message = f"feature {name!r} is named twice: leave one of them out"
                elif isinstance(name, str) and name not in facts.feature_names:
                    names = ", ".join(facts.feature_names[:20]) or "none with a name"
                    hint = suggestion(name, facts.feature_names, otherwise=f"it has {names}")
                    message = f"{planned.label} has no feature {name!r}; {hint}"
                elif isinstance(name, int) and not 0 <= name < n_columns:
                    message = f"{planned.label} has no column {name}: give 0 to {n_columns - 1}"
                if message:
                    self.mistake([*at, "params", param, place], message)
            unit = UNITS[declared.budget_unit]
            for place, budget in enumerate(entry.budgets if unit.most is None else ()):
                if isinstance(budget, str):
                    continue
                if too_much := unit.exceeds(budget, total, facts.n_features, rounding=1e-9):
                    self.mistake([*at, "budgets", place], f"{too_much} of {planned.label}: give at most that")

    def split(self, cell: _Cell, facts: Facts) -> None:
        """What of the split the data has no room for, and what else keeps it from being prepared."""
        split, label, groups = cell.planned.split, cell.planned.label, facts.n_training_groups
        if facts.trouble and split.by_columns:
            key = re.match(r"split\.(\w+): ", facts.trouble)
            at = [*cell.split_at, key[1]] if key else cell.split_at
            self.mistake(at, facts.trouble[key.end() if key else 0 :])
        elif facts.trouble:
            self.warn(cell.at, f"{label}: {facts.trouble}; trials there will fail")
        elif split.groups in facts.feature_names:
            why = "of which the rows to predict have other values than those that are trained on"
            remedy = "leave it out of the features (drop)"
            self.warn([*cell.split_at, "groups"], f"{split.groups} is a feature too, {why}: {remedy}")
        for position, method in enumerate(self.suite.algorithms if groups is not None else ()):
            folds = max((stage.folds or 0 for stage in method.tune), default=0)
            if groups is not None and folds > groups and (method.datasets is None or label in method.datasets):
                message = f"the training part of {label} has {groups} groups: give fewer folds"
                self.mistake(["algorithms", position, "tune"], f"{folds} folds, and {message}")

    def refusals(self, kinds: Mapping[str, Sequence[DataKind]]) -> None:
        """Adversaries and methods that do not take the data of some labels: a mistake of those that take none."""
        several = any(data.n_classes > 2 for of_label in kinds.values() for data in of_label)
        of_two = self.methods_of_two_classes() if several else set()
        everywhere = {entry.display_name for entry in self.suite.datasets}
        for kind in ("algorithms", "adversaries"):
            for position, entry in enumerate(getattr(self.suite, kind)):
                reasons: dict[str, str] = {}
                for label, data in ((label, data) for label, of_label in kinds.items() for data in of_label):
                    if (declared := self.declared(kind, entry, label)) is None:
                        continue
                    if kind == "adversaries":
                        reason = of_adversary(declared, data.task)
                    else:
                        reason = of_algorithm(declared, data, position not in of_two)
                    if reason:
                        reasons[label] = f"{entry.display_name} {reason} ({label})"
                takes_none = reasons.keys() >= set(entry.datasets or everywhere)
                for reason in reasons.values():
                    if takes_none:
                        self.mistake([kind, position], reason)
                    else:
                        self.warn([kind, position], f"{reason}; its trials there will be skipped")

    def methods_of_two_classes(self) -> set[int]:
        """Positions of the methods that take two classes alone; each is made in a worker, to be asked."""
        methods = [(n, m) for n, m in enumerate(self.suite.algorithms) if self.declared("algorithms", m)]
        code = self.fingerprints.code
        keys = [digest([code("algorithm", m.name), portable_params(m.params)], 32) for _, m in methods]
        calls = [(method.name, method.params, self.plugins) for _, method in methods]
        answers = call_once("classes", keys, _takes_many_classes, calls, [SECONDS] * len(calls))
        for (position, method), answer in zip(methods, answers, strict=True):
            if isinstance(answer, Exception):
                message = f"was not looked at before the run: making it {answer}; its trials will show more"
                self.warn(["algorithms", position], f"{method.display_name} {message}")
        return {position for (position, _), answer in zip(methods, answers, strict=True) if answer is False}


def _at_hand(declared: Dataset) -> bool:
    """Whether loading draws nothing, fetches nothing and is quick: a user's own file always is looked at."""
    if declared.generated or declared.paths is not None:
        return not declared.generated
    places = [locate_file(file.name) for file in declared.files]
    is_quick = all(place is not None and Path(place).stat().st_size <= _SMALL for place in places)
    return is_quick if declared.files else declared.example is not None


def _seconds(cell: _Cell) -> float:
    """How long looking at data may take, which grows with a user's own files."""
    path = cell.planned.whole.params.get("path", []) if cell.declared.paths is not None else []
    files = [Path(str(name)).expanduser() for name in (path if isinstance(path, list) else [path])]
    return _SECONDS + sum(file.stat().st_size for file in files if file.is_file()) / _BYTES_A_SECOND


def warnings_of_trials(trials: Iterable[Trial], registry: Registry) -> list[str]:
    """What of trials left is known to have no result, from declarations and classes: nothing is made.

    A line for each method, pair of method and adversary, and metric without a result.
    """
    # Trials of one pair differ in nothing that is asked here, and there may be a hundred thousand.
    pairs = {
        (trial.dataset.name, trial.algorithm.label, trial.adversary and trial.adversary.label): trial
        for trial in trials
    }
    lines: dict[str, None] = {}
    methods: dict[str, dict[str, None]] = defaultdict(dict)  # by the adversary that skips them
    tasks: set[Task] = set()
    metrics: dict[str, None] = {}
    for trial in pairs.values():
        algorithm, label = registry.algorithms[trial.algorithm.name], trial.algorithm.label
        if algorithm.environment is not None:
            try:
                if place_of(algorithm.environment, build_command(algorithm, trial.plugins)) is not None:
                    continue  # no other interpreter is started for a plan
            except EnvironmentMissingError as error:
                lines[f"{label}: {error}; its trials will be skipped"] = None
                continue
        tasks.add(registry.datasets[trial.dataset.name].task)
        metrics |= dict.fromkeys(trial.metrics)
        adversary = None if trial.adversary is None else registry.adversaries[trial.adversary.name]
        if trial.adversary and adversary and adversary.requires == "decision_function":
            made = algorithm.make.resolve()  # whose class may have neither method that gives scores
            if isinstance(made, type) and not (hasattr(made, "decision_function") or hasattr(made, "predict_proba")):
                methods[trial.adversary.label][label] = None
    for metric in metrics:
        if metric in registry.metrics and tasks and tasks.isdisjoint(registry.metrics[metric].tasks):
            holds = " and ".join(sorted({"classification": "classes", "regression": "numbers"}[task] for task in tasks))
            lines[f"metric {metric} does not judge {holds}, as the data holds: it has no value; leave it out"] = None
    skips = "needs scores, and is skipped with methods that give none"
    return [*lines, *(f"{adversary} {skips} ({', '.join(labels)})" for adversary, labels in methods.items())]
