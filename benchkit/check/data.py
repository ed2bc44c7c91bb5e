"""What a suite asks of its data, and the data does not have, or does not allow; and who does not take it.

Data that is at hand is loaded and prepared once, in a worker process under limits, and what there is to know of it is
kept by content. Data that would be drawn, fetched, or take long to read is left alone.
"""

from __future__ import annotations

import builtins
import hashlib
import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchkit.check.names import dataset_parameters
from benchkit.data.files import locate_file
from benchkit.environment.place import EnvironmentMissingError, build_command, place_of
from benchkit.execute.apart import SECONDS, call_once
from benchkit.identity.fingerprints import Fingerprints, prepared_by
from benchkit.plugin.declarations import Adversary, Algorithm, Dataset, DataUnavailableError, Features, Task
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.manager import Registry, UnknownNameError, one_line
from benchkit.plugin.manager import registry as known_plugins
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.expand import planned_datasets
from benchkit.suite.load import Loaded
from benchkit.suite.names import digest, portable_params
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry, DatasetEntry
from benchkit.suite.source import Location
from benchkit.suite.trial import PlannedDataset, Trial
from benchkit.trial.refusals import DataKind, of_adversary, of_algorithm, takes_many_classes

_SMALL = 5 * 2**20  # a published file is read before the run only where that takes no time to speak of
# Looking at a data set may take so long, and a second more for each so many bytes of its files.
_SECONDS, _BYTES_A_SECOND = 10.0, 5 * 2**20


@dataclass(frozen=True)
class Limits:
    """What looking at a data set may take: seconds, and MB of memory; None sets no other limit than `_SECONDS`."""

    timeout: float | None = None
    memory: float | None = None


@dataclass(frozen=True)
class DataFindings:
    """What was seen, each a line with its place and its remedy."""

    mistakes: list[str]  # with these nothing is to run
    warnings: list[str]  # some trials will be skipped, or fail
    notes: list[str]  # what is worth knowing of a plan, and nothing is wrong with


class _Cell(NamedTuple):
    """A data set that is at hand, with the entry that asks for it."""

    planned: PlannedDataset
    declared: Dataset
    entry: DatasetEntry
    at: Location


def look_at_data(
    loaded: Loaded,
    fingerprints: Fingerprints,
    plugins: tuple[str, ...],
    labels: Collection[str] | None = None,
    limits: Limits = Limits(),
) -> DataFindings:
    """Look at the data that is at hand, and at what methods and adversaries ask of it.

    Parameters
    ----------
    loaded : Loaded
    fingerprints : Fingerprints
    plugins : tuple of str
        Plugin files.
    labels : collection of str, optional
        Of the datasets that are looked at; all where None.
    limits : Limits, optional
        Of looking at one of them.
    """
    checks = _DataChecks(loaded, fingerprints, plugins)
    cells = [
        cell
        for position, entry in enumerate(loaded.suite.datasets)
        if labels is None or entry.display_name in labels
        for cell in checks.cells(entry, ["datasets", position])
    ]
    seen = checks.inspect(cells, limits)
    of_two = checks.methods_of_two_classes() if any(facts.n_classes > 2 for facts in seen if facts) else set()
    for cell, facts in zip(cells, seen, strict=True):
        if facts is not None:
            checks.cell(cell, facts, of_two)
    return checks.findings()


@dataclass(frozen=True)
class Facts:
    """What of data decides who takes it, and whether what a suite names is in it."""

    n_columns: int
    n_features: int  # a group being one
    feature_names: list[str]
    group_names: list[str]
    target_name: str
    total_value: float | None  # the sum of the feature values that belong to the data
    is_sparse: bool
    has_gaps: bool
    n_classes: int  # 0 where numbers are predicted
    n_training_groups: int | None  # groups of rows in the training part, where the split names groups
    trouble: str  # why the first repetition, or the last, cannot be prepared


class UnreadableError(Exception):
    """Data cannot be loaded: why, whether a file is not there, and whether the entry's label as the target helps."""

    def __init__(self, message: str, absent: bool, label_is_target: bool) -> None:
        super().__init__(message, absent, label_is_target)
        self.message, self.absent, self.label_is_target = message, absent, label_is_target


def _look(cell: PlannedDataset, plugins: tuple[str, ...], seed: int) -> list[Any]:
    """Load and prepare a data set: the fields of `Facts`, and what was warned of. Called in a worker."""
    from benchkit.trial.prepared import load_data, prepare_data
    from benchkit.trial.refusals import kind_of

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            data, declared = load_data(cell, plugins)
        except BaseException as error:  # SystemExit, too, is an answer
            message = str(error) if isinstance(error, ValueError | DataUnavailableError) else one_line(error)
            absent = isinstance(error, DataUnavailableError)
            raise UnreadableError(message, absent, _label_is_target(cell, plugins)) from None
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
        feature_names=list(map(str, data.feature_names)),
        group_names=list(map(str, data.group_names)),
        target_name=data.target_name,
        total_value=None if data.feature_values is None else float(data.feature_values.sum()),
        is_sparse=kind.is_sparse,
        has_gaps=kind.has_gaps,
        n_classes=kind.n_classes,
        n_training_groups=n_training_groups,
        trouble=trouble,
    )
    return [asdict(facts), [[warning.category.__name__, str(warning.message)] for warning in caught]]


def _label_is_target(cell: PlannedDataset, plugins: tuple[str, ...]) -> bool:
    """Whether data that cannot be loaded by the default target can be by the column that its label names."""
    declared = known_plugins(plugins).datasets[cell.name]
    if declared.paths is None or "target" in cell.params or "target" not in declared.load.parameters():
        return False
    try:
        declared.load(**{**cell.params, "target": cell.label})
    except Exception:  # whatever is wrong then, the first mistake is told
        return False
    return True


def _takes_many_classes(name: str, params: Mapping[str, Any], plugins: tuple[str, ...]) -> bool:
    return takes_many_classes(known_plugins(plugins).algorithms[name], params)


class _DataChecks:
    """The checks; each adds what it finds."""

    def __init__(self, loaded: Loaded, fingerprints: Fingerprints, plugins: tuple[str, ...]) -> None:
        self.suite, self._source = loaded.suite, loaded.source
        self.fingerprints, self.plugins = fingerprints, plugins
        self.registry = fingerprints.registry
        self._mistakes: list[str] = []
        self._warnings: list[str] = []
        self._notes: list[str] = []
        # By kind and position of an entry: why it does not take each dataset, by label.
        self._refused: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)

    def line(self, at: Location, message: str) -> str:
        return str(self._source.error(at, message))

    def mistake(self, at: Location, message: str) -> None:
        self._mistakes.append(self.line(at, message))

    def warn(self, at: Location, message: str) -> None:
        self._warnings.append(self.line(at, message))

    def cells(self, entry: DatasetEntry, at: Location) -> Iterator[_Cell]:
        """The data sets of an entry that are at hand."""
        if entry.name not in self.registry.datasets:
            return
        declared = self.registry.datasets[entry.name]
        try:
            parameters = dataset_parameters(declared)
        except Exception:  # it cannot be imported, which is the plugin's mistake
            return
        self.refuse(entry, DataKind(declared.task))  # what a declaration says is known without the data
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
        for cell in planned:
            test = cell.split.test
            if isinstance(test, str) and not declared.several_files:
                message = f"{declared.name} takes one file alone: name its test rows by a column, "
                self.mistake([*_split_of(entry, at), "test"], message + "{column: NAME, value: VALUE}")
            elif isinstance(test, str) and not (file := Path(test).expanduser()).is_file():
                where = "" if file.is_absolute() else f" in {Path.cwd()}"
                self.mistake([*_split_of(entry, at), "test"], f"there is no file {test}{where}")
            else:
                yield _Cell(cell, declared, entry, at)

    def inspect(self, cells: Sequence[_Cell], limits: Limits) -> list[Facts | None]:
        """The facts of each, looked at in a worker process unless they are kept; None where there are none."""
        calls = [(cell.planned, self.plugins, self.suite.seed) for cell in cells]
        seconds = [_seconds(cell, limits) for cell in cells]
        seen: list[Facts | None] = []
        answers = call_once("facts", list(map(self._key, cells)), _look, calls, seconds, limits.memory)
        for cell, answer in zip(cells, answers, strict=True):
            if isinstance(answer, Exception):
                seen.append(None)
                self.unreadable(cell, answer)
                continue
            facts, caught = answer
            seen.append(Facts(**facts))
            for category, text in caught:
                warnings.warn(text, getattr(builtins, category, UserWarning), stacklevel=2)
        return seen

    def _key(self, cell: _Cell) -> str:
        """Of all that decides the facts; what other code has kept may say something else."""
        planned, sources = cell.planned, self.fingerprints
        code = [hashlib.sha256(Path(__file__).read_bytes()).hexdigest(), sources.protocol, sources.dataset(planned)]
        for kind, name in prepared_by(planned):
            declared = self.registry.catalogue(kind).get(name)
            parts = [getattr(declared, part, None) for part in ("make", "compute")]
            code += [digest(sources.closure(part)) for part in parts if part is not None]
        return digest([planned.whole.identity, planned.protocol, planned.label, self.suite.seed, code], 32)

    def unreadable(self, cell: _Cell, why: Exception) -> None:
        """Tell why data could not be read."""
        entry, at = cell.entry, cell.at
        if not isinstance(why, UnreadableError):  # it took more than it may, or ended its process
            message = f"reading it {why}; its trials will show more"
            self.warn(at, f"{cell.planned.label} was not looked at before the run: {message}")
        elif why.absent:
            # A published file that is absent is skipped and said so; a user's own was asked for, unless optional.
            if cell.declared.paths is not None:
                place: Location = [*at, "params", "path"]
                if entry.optional:
                    self.warn(place, f"{why.message}; its trials will be skipped")
                else:
                    self.mistake(place, why.message)
        elif entry.label is not None and why.label_is_target:
            self.mistake([*at, "label"], _label_for_target(entry.label))
        else:
            # The parameter that the message quotes is the one to mend.
            params = cell.planned.params.items()
            quoted = [key for key, value in params if repr(value) in why.message or f"{key} is" in why.message]
            place = [*at, "params", quoted[0]] if quoted else at
            self.mistake(place, " ".join(why.message.split()))

    def cell(self, cell: _Cell, facts: Facts, of_two: Collection[int]) -> None:
        """All that facts decide."""
        planned, declared, entry, at = cell
        columns = {*facts.feature_names, *facts.group_names}
        # Whoever gives a label that names a column meant the column to predict.
        if declared.paths is not None and entry.label is not None and entry.label in {*columns, facts.target_name}:
            self.mistake([*at, "label"], _label_for_target(entry.label))
        for position, adversary in enumerate(self.suite.adversaries):
            applies = not adversary.datasets or planned.label in adversary.datasets
            if adversary.name in self.registry.adversaries and applies:
                declaration = self.registry.adversaries[adversary.name]
                self.features(adversary, declaration, planned, facts, ["adversaries", position])
                self.budgets(adversary, declaration, planned, facts, ["adversaries", position])
        self.split(cell, facts, columns)
        gaps = facts.has_gaps and not _imputes(planned)
        self.refuse(entry, DataKind(declared.task, facts.is_sparse, gaps, facts.n_classes), of_two)

    def features(
        self, entry: AdversaryEntry, declared: Adversary, cell: PlannedDataset, facts: Facts, at: Location
    ) -> None:
        """Features that an adversary names and the data does not have."""
        known = list(dict.fromkeys([*facts.feature_names, *facts.group_names]))
        param = declared.features_param or ""
        given = entry.params.get(param)
        named = given if isinstance(given, list) else []
        for place, name in enumerate(named):
            if name in named[:place]:
                message = f"feature {name!r} is named twice: leave one of them out"
            elif isinstance(name, str) and name not in known:
                hint = Suggestion(name, known, otherwise=f"it has {', '.join(known[:20]) or 'none with a name'}")
                message = f"{cell.label} has no feature {name!r}; {hint}"
            elif isinstance(name, int) and not 0 <= name < facts.n_columns:
                message = f"{cell.label} has no column {name}: give 0 to {facts.n_columns - 1}"
            else:
                continue
            self.mistake([*at, "params", param, place], message)

    def budgets(
        self, entry: AdversaryEntry, declared: Adversary, cell: PlannedDataset, facts: Facts, at: Location
    ) -> None:
        """Budgets above what the data has to spend, and those that take all of it."""
        unit = UNITS[declared.budget_unit]
        if unit.most is not None:
            return  # told without the data
        total: float | None = None  # each feature has the value 1, or the values are made to sum to as much
        if not isinstance(cell.feature_values, str):
            total = float(sum(cell.feature_values))
        elif cell.feature_values == "given":
            total = facts.total_value
        most, what = unit.limit(total, facts.n_features)
        for place, budget in enumerate(entry.budgets):
            if isinstance(budget, str):
                amount, text = float(budget.rstrip("%")) / 100 * most, budget
            elif too_much := unit.exceeds(budget, total, facts.n_features, rounding=1e-9):
                self.mistake([*at, "budgets", place], f"{too_much} of {cell.label}: give at most that")
                continue
            else:
                amount, text = budget, f"{budget:g}"
            if amount >= most * (1 - 1e-9) > 0:
                message = f"budget {text} takes all features of {cell.label} ({most:g} is {what})"
                remark = "no method can do better there than one that looks at none"
                self._notes.append(self.line([*at, "budgets", place], f"{message}: {remark}"))

    def split(self, cell: _Cell, facts: Facts, columns: Collection[str]) -> None:
        """What of the split the data has no room for, and what else keeps it from being prepared."""
        split, place = cell.planned.split, _split_of(cell.entry, cell.at)
        if facts.trouble and split.by_columns:
            key = re.match(r"split\.(\w+): ", facts.trouble)
            self.mistake([*place, key[1]] if key else place, facts.trouble[key.end() if key else 0 :])
            return
        if facts.trouble:
            self.warn(cell.at, f"{cell.planned.label}: {facts.trouble}; trials there will fail")
            return
        if split.groups in columns:
            message = (
                f"{split.groups} is a feature too, of which the rows to predict have other values than those that "
                "are trained on: leave it out of the features (drop)"
            )
            self.warn([*place, "groups"], message)
        label, groups = cell.planned.label, facts.n_training_groups
        for position, method in enumerate(self.suite.algorithms if groups is not None else ()):
            folds = max((stage.folds or 0 for stage in method.tune), default=0)
            if groups is not None and folds > groups and (method.datasets is None or label in method.datasets):
                message = f"the training part of {label} has {groups} groups: give fewer folds"
                self.mistake(["algorithms", position, "tune"], f"{folds} folds, and {message}")

    def refuse(self, entry: DatasetEntry, kind: DataKind, of_two: Collection[int] = ()) -> None:
        """Note the adversaries and methods that do not take data of a kind.

        Parameters
        ----------
        entry : DatasetEntry
        kind : DataKind
        of_two : collection of int, default=()
            Positions of the methods that take two classes alone.
        """
        label = entry.display_name
        for position, adversary in enumerate(self.suite.adversaries):
            if adversary.name not in self.registry.adversaries or (
                adversary.datasets and label not in adversary.datasets
            ):
                continue
            if reason := of_adversary(self.registry.adversaries[adversary.name], kind.task):
                self._refused["adversaries", position][label] = f"{adversary.display_name} {reason}"
        for position, method in enumerate(self.suite.algorithms):
            if method.datasets is not None and label not in method.datasets:
                continue
            algorithm = self.algorithm(method.name)
            if algorithm is not None and (reason := of_algorithm(algorithm, kind, position not in of_two)):
                self._refused["algorithms", position][label] = f"{method.display_name} {reason}"

    def methods_of_two_classes(self) -> set[int]:
        """Positions of the methods that take two classes alone; each is made in a worker, to be asked."""
        known = [each for each in enumerate(self.suite.algorithms) if self.algorithm(each[1].name) is not None]
        keys = [digest([self.fingerprints.algorithm(m.name), portable_params(m.params)], 32) for _, m in known]
        calls = [(method.name, method.params, self.plugins) for _, method in known]
        answers = call_once("classes", keys, _takes_many_classes, calls, [SECONDS] * len(calls))
        for (position, method), answer in zip(known, answers, strict=True):
            if isinstance(answer, Exception):
                message = f"was not looked at before the run: making it {answer}; its trials will show more"
                self.warn(["algorithms", position], f"{method.display_name} {message}")
        return {position for (position, _), answer in zip(known, answers, strict=True) if answer is False}

    def algorithm(self, name: str) -> Algorithm | None:
        """What is declared under a name; None where nothing is, which is told elsewhere."""
        try:
            declared: Algorithm = self.registry.algorithms[name]
        except UnknownNameError:
            return None
        return declared

    def findings(self) -> DataFindings:
        """Each once, though it may have been seen in many cells, and what the entries refuse among them.

        An entry that takes none of its datasets is a mistake; of one that takes some, those left out are warned of.
        """
        listed: dict[str, Sequence[AlgorithmEntry | AdversaryEntry]]
        listed = {"algorithms": self.suite.algorithms, "adversaries": self.suite.adversaries}
        everywhere = [entry.display_name for entry in self.suite.datasets]
        for (kind, position), reasons in self._refused.items():
            for label, reason in reasons.items():
                line = self.line([kind, position], f"{reason} ({label})")
                if reasons.keys() >= set(listed[kind][position].datasets or everywhere):
                    self._mistakes.append(line)
                else:
                    self._warnings.append(f"{line}; its trials there will be skipped")
        return DataFindings(*(list(dict.fromkeys(lines)) for lines in (self._mistakes, self._warnings, self._notes)))


def _at_hand(declared: Dataset) -> bool:
    """Whether loading draws nothing, fetches nothing and is quick: a user's own file always is looked at."""
    if declared.generated:
        return False
    if declared.paths is not None:
        return True
    if declared.files:
        places = [locate_file(file.name) for file in declared.files]
        return all(place is not None and Path(place).stat().st_size <= _SMALL for place in places)
    return declared.example is not None


def _seconds(cell: _Cell, limits: Limits) -> float:
    """How long looking at a data set may take, which grows with a user's own files."""
    path = cell.planned.whole.params.get("path", []) if cell.declared.paths is not None else []
    files = [Path(str(name)).expanduser() for name in (path if isinstance(path, list) else [path])]
    seconds = _SECONDS + sum(file.stat().st_size for file in files if file.is_file()) / _BYTES_A_SECOND
    return seconds if limits.timeout is None else min(seconds, limits.timeout)


def _label_for_target(label: str) -> str:
    return (
        f"{label!r} is a column of the data, and 'label' is only the name that reports show: write 'target: {label}' "
        "for the column to predict, and another label or none"
    )


def _split_of(entry: DatasetEntry, at: Location) -> Location:
    """Where the split of a data set stands."""
    return ["split"] if entry.split is None else [*at, "split"]


def _imputes(cell: PlannedDataset) -> bool:
    from benchkit.trial.preparation import imputes  # which imports scikit-learn

    return imputes(cell.preprocess)


def warnings_of_trials(trials: Iterable[Trial], registry: Registry) -> list[str]:
    """What of trials is known to have no result, or to mean little, from declarations and classes: nothing is made.

    A line for each method, pair of method and adversary, and metric without a result; and for each adversary and each
    ``fill`` of methods that is not its own: trees tell a lost column by the exact value in its place, so that trained
    for the mean they are hardly protected from zero.

    Parameters
    ----------
    trials : iterable of Trial
        Those that are left to run.
    registry : Registry
    """
    # Trials of one pair differ in nothing that is asked here, and there may be a hundred thousand.
    pairs = {
        (trial.dataset.name, trial.algorithm.label, trial.adversary and trial.adversary.label): trial
        for trial in trials
    }
    lines: dict[str, None] = {}
    without_scores: dict[str, dict[str, None]] = defaultdict(dict)
    other_fill: dict[tuple[str, Any, Any], dict[str, None]] = defaultdict(dict)
    tasks: set[Task] = set()
    metrics: dict[str, None] = {}
    fill = cache(lambda kind, name: _default_fill(registry.catalogue(kind)[name]))
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
        if trial.adversary is None:
            continue
        adversary = registry.adversaries[trial.adversary.name]
        if adversary.requires == "decision_function" and _lacks_scores(algorithm):
            without_scores[trial.adversary.label][label] = None
        stages = [grid for stage in trial.algorithm.tune for grid in (stage.grid, stage.space) if grid]
        if adversary.phase == "test" and not any("fill" in grid for grid in stages):
            prepared = trial.algorithm.params.get("fill", fill("algorithms", trial.algorithm.name))
            left = trial.adversary.params.get("fill", fill("adversaries", trial.adversary.name))
            if None not in (prepared, left) and prepared != left:
                other_fill[trial.adversary.label, left, prepared][label] = None
    for name in metrics:
        if name in registry.metrics and tasks and tasks.isdisjoint(registry.metrics[name].tasks):
            holds = " and ".join(sorted({"classification": "classes", "regression": "numbers"}[task] for task in tasks))
            lines[f"metric {name} does not judge {holds}, as the data holds: it has no value; leave it out"] = None
    for adversary_label, labels in without_scores.items():
        lines[
            f"{adversary_label} needs scores, and there is neither decision_function nor predict_proba in "
            f"{', '.join(labels)}: {'its' if len(labels) == 1 else 'their'} trials there will be skipped"
        ] = None
    for (adversary_label, left, prepared), labels in other_fill.items():
        lines[
            f"{adversary_label} leaves {left} in place of what it deletes, and {', '.join(labels)} "
            f"{'prepares' if len(labels) == 1 else 'prepare'} for {prepared}: "
            "that may protect little; give both the same `fill` where you can"
        ] = None
    return list(lines)


def _lacks_scores(algorithm: Algorithm) -> bool:
    """Whether a method's class has neither method that gives scores."""
    made = algorithm.make.resolve()
    return isinstance(made, type) and not (hasattr(made, "decision_function") or hasattr(made, "predict_proba"))


def _default_fill(declared: Algorithm | Adversary) -> Any:
    """What a declared object fills with where nothing is said; None where it takes no such parameter."""
    defaults = getattr(declared, "defaults", {})
    if "fill" in defaults:
        return defaults["fill"]
    parameter = declared.make.parameters().get("fill")
    return None if parameter is None else parameter.default
