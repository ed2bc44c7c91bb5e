"""What a suite asks of its data, and the data does not have, or does not allow; and who does not take it.

Data that is at hand is loaded and prepared once, in a worker process under limits, and what there is to know of it is
kept by content. Data that would be drawn, fetched, or take long to read is left alone.
"""

import hashlib
import inspect
import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchkit.check.names import Checks
from benchkit.data import leaks
from benchkit.data.files import locate_file
from benchkit.data.leaks import GivenTest, leaks_of
from benchkit.environment.place import EnvironmentMissingError, build_command, place_of
from benchkit.execute.apart import SECONDS, call_once, read_apart
from benchkit.identity.fingerprints import Fingerprints, prepared_by
from benchkit.plugin.declarations import Dataset, DataUnavailableError, Deferred, Features, Task
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.manager import Registry, UnknownNameError, one_line
from benchkit.plugin.manager import registry as known_plugins
from benchkit.plugin.parameters import suggestion
from benchkit.suite.expand import planned_datasets
from benchkit.suite.load import Loaded
from benchkit.suite.names import digest, imputes, portable_params
from benchkit.suite.schema import PerClass, Repetitions, Split, TestRows
from benchkit.suite.source import Location
from benchkit.suite.trial import PlannedDataset, Trial
from benchkit.trial.refusals import HOLDS, DataKind, of_adversary, of_algorithm, takes_many_classes

_MOST_CLASSES = 20  # of more it is asked whether they are numbers
_SMALL = 5 * 2**20  # a published file is read before the run only where that takes no time to speak of
# Looking at a data set may take so long, and a second more for each so many bytes of its files.
_SECONDS, _BYTES_A_SECOND = 10.0, 5 * 2**20


Skipped = tuple[str, str, str]
"""Labels of a dataset, a method and an adversary whose trials will be skipped; empty is any."""


class Facts(NamedTuple):
    """What of data decides who takes it, and whether what a suite names is in it."""

    kind: dict[str, Any]  # the fields of its `DataKind`
    n_columns: int
    n_features: int  # a group being one
    feature_names: list[str]  # and those of groups behind them
    target_name: str
    total_value: float | None  # the sum of the feature values that belong to the data
    n_training_groups: int | None  # groups of rows in the training part, where the split names groups
    trouble: str  # why the first repetition, or the last, cannot be prepared
    leaks: list[str]  # what of a user's own table may make scores look better than they are


def look_at_data(
    loaded: Loaded, fingerprints: Fingerprints, plugins: tuple[str, ...], labels: Collection[str] | None = None
) -> tuple[list[str], list[str], dict[str, list[str]], set[Skipped]]:
    """What is wrong with the data that is at hand, and with what methods and adversaries ask of it.

    Labels are those of the datasets that are looked at; all where None. Returns mistakes, each a line with its place
    and its remedy, with which nothing is to run; warnings: some trials will be skipped, or fail; of each dataset that
    was looked at what may make its scores too good, which the warnings say as well; and which trials will be skipped.
    """
    checks = _DataChecks(loaded, fingerprints, plugins)
    kinds: dict[str, dict[int, DataKind]] = defaultdict(dict)  # by label, of each of its data sets
    too_good: dict[str, list[str]] = defaultdict(list)  # what may make scores so, by label
    cells = checks.at_hand(kinds, labels)
    for (position, planned), answer in zip(cells, checks.facts_of([planned for _, planned in cells]), strict=True):
        if isinstance(answer, Exception):
            if checks.tell_error(position, planned, answer):
                kinds.pop(planned.label, None)  # which methods take it depends on how that is mended
            continue
        facts = Facts(**answer[0])
        for text in answer[1]:
            warnings.warn(text, stacklevel=2)
        too_good[planned.label] += facts.leaks
        kinds[planned.label][id(planned)] = checks.compare(position, planned, facts)
    skipped = checks.refusals(kinds)
    return [*checks.mistakes], [*checks.warnings], dict(too_good), skipped


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
        trouble, n_training_groups, test, split = "", None, None, cell.split
        try:
            for repetition in dict.fromkeys((0, cell.split.total - 1)):
                prepared = prepare_data(cell, seed, repetition, plugins)
                groups = prepared.train.groups
                n_training_groups = None if groups is None else len(set(groups.tolist()))
            if split.test_is_given:
                tested, of = np.zeros(len(data.y), dtype=bool), split.test
                tested[prepared.test.rows] = True
                by_column = (str(of.value), of.column) if isinstance(of, TestRows) else (str(of),)
                test = GivenTest(tested, *by_column)
        except UnknownNameError:  # which the check of names tells
            pass
        except BaseException as error:
            trouble = " ".join(str(error).split()) if isinstance(error, ValueError) else one_line(error)
        kind = kind_of(data.X, data.y, declared.task)
    facts = Facts(
        kind=asdict(kind),
        n_columns=int(data.X.shape[1]),
        n_features=int(Features(data.X.shape[1], data.groups).n_features),
        feature_names=list(dict.fromkeys(map(str, [*data.feature_names, *data.group_names]))),
        target_name=data.target_name,
        total_value=None if data.feature_values is None else float(data.feature_values.sum()),
        n_training_groups=n_training_groups,
        trouble=trouble,
        leaks=leaks_of(data, declared.task == "classification", not split.by_columns, split.groups, test)
        if declared.suffixes
        else [],
    )
    return [facts._asdict(), [str(warning.message) for warning in caught]]


def _unsaid_repetitions(own: Split | None, shared: Split) -> str:
    """The suite's repetitions, where a data set's own split replaces them by one and says nothing of them.

    Not where it divides by another method, which repeats in its own way, or draws nothing, as its test part is given.
    """
    if own is None or "repetitions" in own.model_fields_set or own.method != shared.method or shared.repetitions == 1:
        return ""
    if own.test_is_given and own.train is None:
        return ""
    several = shared.repetitions
    return f"{{least: {several.least}, most: {several.most}}}" if isinstance(several, Repetitions) else str(several)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _takes_many_classes(name: str, params: Mapping[str, Any], plugins: tuple[str, ...]) -> bool:
    return takes_many_classes(known_plugins(plugins).algorithms[name], params)


class _DataChecks(Checks):
    """The checks; each adds what it finds."""

    def at_hand(
        self, kinds: dict[str, dict[int, DataKind]], labels: Collection[str] | None
    ) -> list[tuple[int, PlannedDataset]]:
        """What data is to be looked at, with the positions of its entries; what kinds each label has is noted."""
        cells: list[tuple[int, PlannedDataset]] = []
        known, axis = self.registry.datasets, self.suite.axis
        # An axis over a dataset's parameter has as many data sets as values, and may give what loading needs.
        over_data = axis is not None and axis.parameter.startswith("dataset.")
        for position, entry in enumerate(self.suite.datasets):
            for kind in ("algorithms", "adversaries"):
                if getattr(self.suite, kind) and not any(self.entries(kind, entry.display_name)):
                    remedy = f"none of its trials run: add it to 'datasets' of one of the {kind}, or leave it out"
                    self.warn(["datasets", position], f"none of the {kind} is for {entry.display_name}, and {remedy}")
            if entry.name not in known or (labels is not None and entry.display_name not in labels):
                continue
            if unsaid := _unsaid_repetitions(entry.split, self.suite.split):
                alone = f"its own split has 1 repetition; the suite's {unsaid} do not count there"
                remedy = f"write 'repetitions: {unsaid}' in it"
                self.warn(["datasets", position, "split"], f"{entry.display_name}: {alone}: {remedy}")
            declared = known[entry.name]
            of_label = kinds[entry.display_name]
            of_label[position] = DataKind(declared.task)  # which is known without the data
            split = entry.split or self.suite.split
            sizes = (split.train, split.validation, split.test)
            if declared.task == "regression" and any(isinstance(size, PerClass) for size in sizes):
                remedy = "'per_class' needs classes, and its target is numbers: give fractions, or counts of rows"
                at_split: Location = ["split"] if entry.split is None else ["datasets", position, "split"]
                self.mistake(at_split, f"{entry.display_name}: {remedy}")
                continue
            # No data is asked for that cannot be loaded, or by names that it does not know: the check of names tells.
            if over_data or not _at_hand(declared) or self.import_code([declared]):
                continue
            before = len(self.mistakes)
            self.dataset(entry, declared, ["datasets", position])
            if len(self.mistakes) > before:
                continue
            try:
                planned_here = planned_datasets(self.suite, entry, declared)
            except (ValueError, TypeError) as error:  # its parameters do not go together
                self.mistake(["datasets", position], str(error))
                continue
            at: Location = [*(["split"] if entry.split is None else ["datasets", position, "split"]), "test"]
            test = planned_here[0].split.test if planned_here else None
            if isinstance(test, str) and not declared.several_files:
                remedy = "name its test rows by a column, {column: NAME, value: VALUE}"
                self.mistake(at, f"{declared.name} takes one file alone: {remedy}")
            elif isinstance(test, str) and not (file := Path(test).expanduser()).is_file():
                self.mistake(at, f"there is no file {test}{'' if file.is_absolute() else f' in {Path.cwd()}'}")
            else:
                cells += [(position, planned) for planned in planned_here]
                of_label |= dict.fromkeys(map(id, planned_here), of_label.pop(position))
        return cells

    def facts_of(self, cells: Sequence[PlannedDataset]) -> list[Any]:
        """What `_look` says of each, asked once by all that decides it, or the error that it ended with."""
        calls, keys, seconds = [], [], []
        own = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in (__file__, leaks.__file__)]
        for planned in cells:
            calls.append((planned, self.plugins, self.suite.seed))
            # All that decides the facts; what other code has kept may say something else.
            code = [*own, self.fingerprints.protocol, self.fingerprints.code("dataset", planned.name, planned)]
            for kind, name in prepared_by(planned):
                with suppress(UnknownNameError):
                    code.append(self.fingerprints.code(kind, name))
            drawn = [planned.protocol, planned.split.total, planned.label, self.suite.seed]
            keys.append(digest([planned.whole.identity, *drawn, code], 32))
            has_paths = self.registry.datasets[planned.name].paths is not None
            path = planned.whole.params.get("path", []) if has_paths else []
            files = [Path(str(name)).expanduser() for name in _items(path)]
            size = sum(file.stat().st_size for file in files if file.is_file())
            seconds.append(_SECONDS + size / _BYTES_A_SECOND)
        return call_once("facts", keys, _look, calls, seconds)

    def tell_error(self, position: int, planned: PlannedDataset, answer: Exception) -> bool:
        """Why data was not read, and whether that is a mistake in its parameters."""
        entry, declared = self.suite.datasets[position], self.registry.datasets[planned.name]
        at: Location = ["datasets", position]
        message = " ".join(str(answer).split())
        if isinstance(answer, DataUnavailableError):
            if declared.paths is not None:  # a published file that is absent is skipped, and that is told then
                tell = self.warn if entry.optional else self.mistake
                tell([*at, "params", "path"], message)
        elif isinstance(answer, ValueError):
            # The parameter that the message quotes is the one to mend.
            params = [(key, item) for key, value in planned.params.items() for item in _items(value)]
            places = {key: message.find(repr(item)) for key, item in params if repr(item) in message}
            places |= {key: -1 for key, _ in params if f"{key} is" in message}
            self.mistake([*at, "params", min(places, key=places.__getitem__)] if places else at, message)
            return True
        else:  # it took more than it may, or ended its process
            self.warn(at, f"{planned.label} was not looked at before the run: reading it {message}")
        return False

    def compare(self, position: int, planned: PlannedDataset, facts: Facts) -> DataKind:
        """What the suite asks of data that was read, beside what that has; the kind that methods see."""
        entry, declared = self.suite.datasets[position], self.registry.datasets[planned.name]
        at: Location = ["datasets", position]
        for leak in facts.leaks:
            self.warn(at, f"{planned.label}: {leak}")
        # Whoever gives a label that names a column meant the column to predict.
        names = {*facts.feature_names, facts.target_name} - {planned.params.get("target")}
        if declared.paths is not None and entry.label in names:
            remedy = f"write 'target: {entry.label}' for the column to predict, and another label or none"
            only = "is a column of the data, and 'label' is only the name that reports show"
            self.mistake([*at, "label"], f"{entry.label!r} {only}: {remedy}")
        self.room(planned, facts, at, ["split"] if entry.split is None else [*at, "split"])
        data = DataKind(**facts.kind)
        steps_at: Location = [*([] if entry.preprocess is None else at), "preprocess"]
        # An unknown step may be meant to fill gaps.
        filled = imputes(planned.preprocess) or not self.steps(planned.preprocess, steps_at)
        alike = (known for known in self.registry.datasets.values() if known.suffixes == declared.suffixes)
        readers = (known for known in alike if known.task == "regression")
        if declared.suffixes and data.n_classes > _MOST_CLASSES and (reader := next(readers, None)):
            what = f"{facts.target_name or 'its target'} has {data.n_classes} classes"
            self.warn(at, f"{planned.label}: {what}: if these are numbers to predict, write 'name: {reader.name}'")
        return replace(data, has_gaps=data.has_gaps and not filled)

    def entries(self, kind: str, label: str) -> Iterator[tuple[int, Any, Any]]:
        """Position, entry and declaration of what is for data of a label, and is declared."""
        for position, entry in enumerate(getattr(self.suite, kind)):
            if not entry.datasets or label in entry.datasets:
                with suppress(UnknownNameError):
                    yield position, entry, self.registry.catalogue(kind)[entry.name]

    def room(self, planned: PlannedDataset, facts: Facts, at: Location, split_at: Location) -> None:
        """What budgets, features of attacks, the split and folds ask for, and the data does not have."""
        values, label, names = planned.feature_values, planned.label, facts.feature_names
        total = facts.total_value if values == "given" else None if isinstance(values, str) else float(sum(values))
        for position, entry, declared in self.entries("adversaries", label):
            param, unit = declared.features_param or "", UNITS[declared.budget_unit]
            named = given if isinstance(given := entry.params.get(param), list) else []
            for place, name in enumerate(named):
                at_param = ["adversaries", position, "params", param, place]
                if name in named[:place]:
                    self.mistake(at_param, f"feature {name!r} is named twice: leave one of them out")
                elif not (0 <= name < facts.n_columns if isinstance(name, int) else name in names):
                    known = f"it has {', '.join(names[:20]) or 'no names'}, or give 0 to {facts.n_columns - 1}"
                    self.mistake(at_param, f"{label} has no feature {name!r}; {suggestion(name, names, known)}")
            for place, budget in enumerate(entry.budgets if unit.most is None else ()):
                too_much = None if isinstance(budget, str) else unit.exceeds(budget, total, facts.n_features, 1e-9)
                if too_much:
                    self.mistake(["adversaries", position, "budgets", place], f"{too_much} of {label}")
        split, groups = planned.split, facts.n_training_groups
        if facts.trouble and split.by_columns:
            key, room = re.match(r"split\.(\w+): ", facts.trouble), re.search(r"room for (\d+)", facts.trouble)
            text = facts.trouble[key.end() if key else 0 :]
            option = ".".join(map(str, [*split_at, "repetitions"]))
            text += f"; as many as there is room for: --set {option}={room[1]}" if room and room[1] != "0" else ""
            self.mistake([*split_at, key[1]] if key else split_at, text)
        elif facts.trouble:
            self.warn(at, f"{label}: {facts.trouble}; trials there will fail")
        elif split.groups in names:
            why = "is a feature, too, and test rows never have a value of it that training rows have"
            self.warn([*split_at, "groups"], f"{split.groups} {why}: leave it out of the features (drop)")
        for position, method, _ in self.entries("algorithms", label):
            folds = max((stage.folds or 0 for stage in method.tune), default=0)
            if groups is not None and folds > groups:
                message = f"{folds} folds, and the training part of {label} has {groups} groups: give fewer folds"
                self.mistake(["algorithms", position, "tune"], message)

    def refusals(self, kinds: Mapping[str, Mapping[int, DataKind]]) -> set[Skipped]:
        """Adversaries and methods that do not take the data of some labels: a mistake of those that take none."""
        skipped = set[Skipped]()
        many = [label for label, of_label in kinds.items() if any(data.n_classes > 2 for data in of_label.values())]
        # The methods of these that take two classes alone: each is made in a worker, and asked.
        methods = {position: entry for label in many for position, entry, _ in self.entries("algorithms", label)}
        code = self.fingerprints.code
        keys = [digest([m.name, code("algorithm", m.name), portable_params(m.params)], 32) for m in methods.values()]
        calls = [(method.name, method.params, self.plugins) for method in methods.values()]
        answers = call_once("classes", keys, _takes_many_classes, calls, [SECONDS] * len(calls))
        of_two = {position for position, answer in zip(methods, answers, strict=True) if answer is False}
        for (position, method), answer in zip(methods.items(), answers, strict=True):
            if isinstance(answer, Exception):
                message = f"{method.display_name} was not looked at before the run: making it {answer}"
                self.warn(["algorithms", position], message)
        everywhere = {entry.display_name for entry in self.suite.datasets}
        for kind in ("algorithms", "adversaries"):
            reasons: dict[int, dict[str, str]] = defaultdict(dict)  # by position and label
            some: dict[tuple[str, str], list[int]] = defaultdict(list)  # who is skipped on one label for one reason
            for label, of_label in kinds.items():
                for position, _, declared in self.entries(kind, label):
                    if kind == "adversaries":
                        why = [of_adversary(declared, data.task) for data in of_label.values()]
                    else:
                        why = [of_algorithm(declared, data, position not in of_two) for data in of_label.values()]
                    if all(why):  # of several data sets of one label some may be taken
                        reasons[position][label] = why[0]
            for position, by_label in sorted(reasons.items()):
                takes_none = by_label.keys() >= set(getattr(self.suite, kind)[position].datasets or everywhere)
                name = getattr(self.suite, kind)[position].display_name
                for label, reason in by_label.items():
                    if takes_none:
                        self.mistake([kind, position], f"{name} {reason} ({label})")
                    else:
                        some[label, reason].append(position)
                        skipped.add((label, name, "") if kind == "algorithms" else (label, "", name))
            for (label, reason), positions in some.items():
                names = ", ".join(getattr(self.suite, kind)[position].display_name for position in positions)
                skips = f"{label}: trials of {names} will be skipped: {'each' * (len(positions) > 1) or 'it'}"
                self.warn([kind, positions[0]], f"{skips} {reason.partition(': choose another')[0]}")
        return skipped


def _at_hand(declared: Dataset) -> bool:
    """Whether loading draws nothing, fetches nothing and is quick: a user's own file always is looked at."""
    if declared.generated or declared.paths is not None:
        return not declared.generated
    places = [locate_file(file.name) for file in declared.files]
    is_quick = all(place is not None and Path(place).stat().st_size <= _SMALL for place in places)
    return is_quick if declared.files else declared.example is not None


def warnings_of_trials(trials: Iterable[Trial], registry: Registry, loaded: Loaded) -> tuple[list[str], set[Skipped]]:
    """What of trials left is known to have no result, from declarations and classes: nothing is made.

    A line for each method, pair of method and adversary, and metric without a result; of a metric only where no data
    of the whole suite is judged by it, whatever trials are left; and which trials will be skipped.
    """
    # Trials of one pair differ in nothing that is asked here, and there may be a hundred thousand.
    pairs = {
        (trial.dataset.label, trial.algorithm.label, trial.adversary and trial.adversary.label): trial
        for trial in trials
    }
    lines: dict[str, None] = {}
    # Code of methods, by what they need to have, and the adversary that needs it.
    asking: dict[tuple[str, str, str], dict[str, Any]] = defaultdict(dict)
    without_gaps: dict[str, list[Trial]] = defaultdict(list)  # of methods that take none, by the adversary
    tasks: set[Task] = {registry.datasets[entry.name].task for entry in loaded.suite.datasets}
    for trial in pairs.values():
        algorithm, label = registry.algorithms[trial.algorithm.name], trial.algorithm.label
        if algorithm.environment is not None:
            try:
                if place_of(algorithm.environment, build_command(algorithm, trial.plugins)) is not None:
                    continue  # no other interpreter is started for a plan
            except EnvironmentMissingError as error:
                lines[f"{label}: {error}; its trials will be skipped"] = None
                continue
        if trial.adversary is None and any(stage.data == "corrupted" for stage in trial.algorithm.tune):
            nobody = (
                f"no adversary corrupts {trial.dataset.label}, and its tuning on corrupted data is on clean data there"
            )
            lines[f"{label}: {nobody}: name an adversary for it, or write 'data: clean'"] = None
        fills = imputes(trial.dataset.preprocess) or algorithm.accepts_missing
        if trial.adversary and trial.adversary.params.get("fill") == "nan" and not fills:
            without_gaps[trial.adversary.label].append(trial)
        if trial.adversary and (requires := registry.adversaries[trial.adversary.name].requires):
            asking[requires, trial.adversary.name, trial.adversary.label][label] = algorithm.make.target
    for metric in loaded.suite.metrics if pairs else ():
        if tasks.isdisjoint(registry.metrics[metric].tasks):
            holds = " and ".join(HOLDS[task] for task in sorted(tasks))
            # What joins the suite stands nowhere in it.
            remedy = "; leave it out" if metric in loaded.source.values.get("metrics", ()) else ""
            lines[f"metric {metric} does not judge {holds}, as the data holds: it has no value{remedy}"] = None
    skipped = {
        (trial.dataset.label, trial.algorithm.label, adversary)
        for adversary, those in without_gaps.items()
        for trial in those
    }
    for (needed, name, adversary), code in asking.items():
        what, without = _NEEDED[needed]
        imported = tuple(sorted({target for target in code.values() if isinstance(target, str)}))
        lacking = {*without(tuple(target for target in code.values() if not isinstance(target, str)))}
        lacking |= {*(read_apart(without, imported) if imported else ())}
        if labels := [label for label, target in code.items() if target in lacking]:
            alike, situation = registry.adversaries.values(), registry.adversaries[name].situation
            others = [other.name for other in alike if other.situation == situation and other.requires != needed]
            more = f"; --add {others[0]} takes any model" if needed == "linear" and situation and others else ""
            lines[f"{adversary} needs {what}, and is skipped with {', '.join(labels)}{more}"] = None
            skipped |= {("", label, adversary) for label in labels}
    gaps = "leaves missing values (fill: nan), and is skipped with methods that take none"
    remedy = "add {impute-where-needed: mean} to 'preprocess', or write 'fill: zero'"
    for name, those in without_gaps.items():
        methods = ", ".join(dict.fromkeys(trial.algorithm.label for trial in those))
        lines[f"{name} {gaps} ({methods}): {remedy}"] = None
    return [*lines], skipped


def without_scores(targets: tuple[Any, ...]) -> list[Any]:
    """Those of classes, each itself or ``module:NAME``, that have neither method that gives scores."""
    return [target for target in targets if _gives_none(Deferred(target).resolve())]


def without_coef(targets: tuple[Any, ...]) -> list[Any]:
    """Those of classes, each itself or ``module:NAME``, that set no ``coef_``."""
    return [target for target in targets if _sets_no_coef(Deferred(target).resolve())]


def _gives_none(made: Any) -> bool:
    return isinstance(made, type) and not (hasattr(made, "decision_function") or hasattr(made, "predict_proba"))


def _sets_no_coef(made: Any) -> bool:
    """Whether the source of a class and of its bases never names it, and it asks no other object for what it lacks."""
    if not isinstance(made, type) or hasattr(made, "__getattr__"):
        return False
    try:
        return not any("coef_" in inspect.getsource(base) for base in made.__mro__[:-1])
    except (OSError, TypeError):  # compiled code has no source
        return False


# By what adversaries declare that they require.
_NEEDED = {
    "decision_function": ("scores", without_scores),
    "linear": ("a linear model, one with coef_", without_coef),
}
