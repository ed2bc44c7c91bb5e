"""What a suite asks of its data, and the data does not have, or does not allow."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchkit.check.names import dataset_parameters
from benchkit.check.reading import Facts, Limits, Unreadable, inspect
from benchkit.data.files import keep, kept, locate_file
from benchkit.execute.apart import SECONDS, call_all
from benchkit.plugin.declarations import Adversary, Dataset
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.plugin.manager import registry as known_plugins
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.expand import planned_datasets
from benchkit.suite.load import Loaded
from benchkit.suite.names import digest, portable_params
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry, DatasetEntry
from benchkit.suite.source import Location, SuiteText
from benchkit.suite.trial import PlannedDataset
from benchkit.trial.identity import Fingerprints
from benchkit.trial.refusals import DataKind, of_adversary, of_algorithm, takes_many_classes


def look_at_data(
    loaded: Loaded,
    registry: Registry,
    fingerprints: Fingerprints,
    plugins: tuple[str, ...],
    only: Collection[str] | None = None,
    limits: Limits = Limits(),  # noqa: B008
) -> Findings:
    """Look at the data that is at hand, and at what methods and adversaries ask of it.

    Each dataset is read in a worker process, unless what there is to know of it is known. Data that would be drawn,
    fetched, or take long to read is left alone.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    fingerprints : Fingerprints
        Under which parsed data is kept.
    plugins : tuple of str
        Plugin files.
    only : collection of str, optional
        Labels of the datasets that are looked at; all where None.
    limits : Limits, optional
        Of reading one of them.
    """
    suite, source = loaded.suite, loaded.source
    findings = Findings()
    cells: list[tuple[PlannedDataset, Dataset, DatasetEntry, Location]] = []
    for position, entry in enumerate(suite.datasets):
        if entry.name not in registry.datasets or (only is not None and entry.display_name not in only):
            continue
        at: Location = ["datasets", position]
        declared = registry.datasets[entry.name]
        try:
            parameters = dataset_parameters(declared)
        except Exception:  # it cannot be imported, which is the plugin's mistake
            continue
        findings.mistakes.extend(shadowed(entry, declared, source, at))
        findings.mistakes.extend(too_many(entry, declared, source, at))
        # What a declaration says is known without the data.
        findings.refuse(entry.display_name, refused(loaded, registry, declared, entry))
        # No data is asked for by names that it does not know.
        # An axis over a dataset's parameter has as many data sets as values, and may give what loading needs.
        over_data = suite.axis is not None and suite.axis.parameter.startswith("dataset.")
        if at_hand(declared) and not over_data and all(name in parameters for name in entry.params):
            try:
                made = planned_datasets(suite, entry, declared)
            except (ValueError, TypeError) as error:
                findings.mistakes.append(str(source.error(at, str(error))))
                continue
            for cell in made:
                if (unread := file_mistake(loaded, cell, declared, at)) is not None:
                    findings.mistakes.append(unread)
                else:
                    cells.append((cell, declared, entry, at))
    seen = inspect([cell[:2] for cell in cells], fingerprints, plugins, suite.seed, limits)
    two_classes = _of_two_classes(loaded, registry, fingerprints, plugins, seen, findings)
    for (cell, declared, entry, at), facts in zip(cells, seen, strict=True):
        if isinstance(facts, Unreadable):
            tell_unreadable(facts, cell, declared, entry, source, at, findings)
            continue
        findings.mistakes.extend(label_mistakes(entry, declared, facts, source, at))
        findings.mistakes.extend(feature_mistakes(loaded, registry, cell, facts))
        findings.mistakes.extend(budget_mistakes(loaded, registry, cell, facts))
        split_mistakes(loaded, cell, facts, at, findings)
        findings.notes.extend(budgets_of_all(loaded, registry, cell, facts))
        findings.refuse(entry.display_name, refused(loaded, registry, declared, entry, cell, facts, two_classes))
    return findings.told(loaded)


# A published file is read before the run only where that takes no time to speak of.
_SMALL = 5 * 2**20

_MOST_DRAWN = 10**9


def shadowed(entry: DatasetEntry, declared: Dataset, source: SuiteText, at: Location) -> Iterator[str]:
    """Keys of the suite that a dataset has parameters of the same name as."""
    parameters = declared.load.parameters()
    for key in sorted(entry.model_fields_set - {"name", "params"}):
        if key in parameters and key not in entry.params:
            message = (
                f"{key!r} is a key of the suite, and a parameter of {entry.name} too: "
                f"write 'params: {{{key}: ...}}' for the parameter"
            )
            yield str(source.error([*at, key], message))


def too_many(entry: DatasetEntry, declared: Dataset, source: SuiteText, at: Location) -> Iterator[str]:
    """Counts of what is to be drawn, beyond what any memory holds: parameters whose default is a count."""
    parameters = declared.load.parameters() if declared.generated else {}
    for name, value in entry.params.items():
        default = parameters[name].default if name in parameters else None
        given = value if isinstance(value, list) else [value]
        if type(default) is int and (large := [each for each in given if _is_beyond(each)]):
            place = source.place_of_parameter(at, name)
            yield str(source.error(place, f"{name} of {entry.name} is {large[0]:g}: a count is at most {_MOST_DRAWN}"))


def _is_beyond(value: object) -> bool:
    return isinstance(value, int | float) and value > _MOST_DRAWN


def at_hand(declared: Dataset) -> bool:
    """Whether loading draws nothing, fetches nothing and is quick: a user's own file always is looked at."""
    if declared.generated:
        return False
    if declared.paths is not None:
        return True
    if declared.files:
        places = [locate_file(file.name) for file in declared.files]
        return all(place is not None and Path(place).stat().st_size <= _SMALL for place in places)
    return declared.example is not None


def tell_unreadable(
    why: Unreadable,
    cell: PlannedDataset,
    declared: Dataset,
    entry: DatasetEntry,
    source: SuiteText,
    at: Location,
    findings: Findings,
) -> None:
    """Add to the findings why the data of a cell could not be read."""
    if why.stopped:
        message = f"{cell.label} was not looked at before the run: reading it {why.message}; its trials will show more"
        findings.warnings.append(str(source.error(at, message)))
        return
    if why.absent:
        # A published file that is absent is skipped and said so; a user's own was asked for, unless marked optional.
        if declared.paths is None:
            return
        said = str(source.error(source.place_of_parameter(at, "path"), why.message))
        if entry.optional:
            findings.warnings.append(f"{said}; its trials will be skipped")
        else:
            findings.mistakes.append(said)
        return
    if entry.label is not None and why.label_is_target:
        findings.mistakes.append(_of_label(entry, source, at))
        return
    # The parameter that the message quotes is the one to mend.
    quoted = [key for key, value in cell.params.items() if repr(value) in why.message or f"{key} is" in why.message]
    where = source.place_of_parameter(at, quoted[0]) if quoted else at
    findings.mistakes.append(str(source.error(where, " ".join(why.message.split()))))


def label_mistakes(
    entry: DatasetEntry, declared: Dataset, facts: Facts, source: SuiteText, at: Location
) -> Iterator[str]:
    """A label that names a column: its writer meant the column to predict."""
    columns = {*facts.feature_names, *facts.group_names, facts.target_name}
    if declared.paths is not None and entry.label is not None and entry.label in columns:
        yield _of_label(entry, source, at)


def _of_label(entry: DatasetEntry, source: SuiteText, at: Location) -> str:
    message = (
        f"{entry.label!r} is a column of the data, and 'label' is only the name that reports show: write "
        f"'target: {entry.label}' for the column to predict, and another label or none"
    )
    return str(source.error([*at, "label"], message))


_KEY = re.compile(r"split\.(\w+): ")


def file_mistake(loaded: Loaded, cell: PlannedDataset, declared: Dataset, at: Location) -> str | None:
    """Why a file of test rows cannot be read beside the data set's own; None where it can, or the split names none."""
    test = cell.split.test
    if not isinstance(test, str):
        return None
    if not declared.several_files:
        said = f"{declared.name} takes one file alone: name its test rows by a column, {{column: NAME, value: VALUE}}"
    elif not Path(test).expanduser().is_file():
        said = f"there is no file {test}" + ("" if Path(test).expanduser().is_absolute() else f" in {Path.cwd()}")
    else:
        return None
    return str(loaded.source.error([*_place(loaded, at), "test"], said))


def split_mistakes(loaded: Loaded, cell: PlannedDataset, facts: Facts, at: Location, findings: Findings) -> None:
    """Add to the findings what of a split by columns the data has no room for."""
    place = _place(loaded, at)
    if facts.split_error:
        key = _KEY.match(facts.split_error)
        where = [*place, key[1]] if key else place
        message = facts.split_error[key.end() :] if key else facts.split_error
        findings.mistakes.append(str(loaded.source.error(where, message)))
        return
    if cell.split.groups in {*facts.feature_names, *facts.group_names}:
        message = (
            f"{cell.split.groups} is a feature too, of which the rows to predict have other values than those that "
            "are trained on: leave it out of the features (drop)"
        )
        findings.warnings.append(str(loaded.source.error([*place, "groups"], message)))
    if facts.n_training_groups is not None:
        findings.mistakes.extend(_tuning_mistakes(loaded, cell, facts.n_training_groups))


def _tuning_mistakes(loaded: Loaded, cell: PlannedDataset, n_groups: int) -> Iterator[str]:
    """Methods whose tuning asks for more folds than the training part has groups."""
    for position, entry in enumerate(loaded.suite.algorithms):
        folds = max((stage.folds or 0 for stage in entry.tune), default=0)
        if folds > n_groups and (entry.datasets is None or cell.label in entry.datasets):
            said = f"{folds} folds, and the training part of {cell.label} has {n_groups} groups: give fewer folds"
            yield str(loaded.source.error(["algorithms", position, "tune"], said))


def _place(loaded: Loaded, at: Location) -> Location:
    """Where the split of a data set stands."""
    entry: DatasetEntry = loaded.suite.datasets[int(at[1])]
    return ["split"] if entry.split is None else [*at, "split"]


def feature_mistakes(loaded: Loaded, registry: Registry, cell: PlannedDataset, facts: Facts) -> Iterator[str]:
    """Features that an entry names and the data does not have."""
    known = [*facts.feature_names, *(name for name in facts.group_names if name not in facts.feature_names)]
    for position, entry, adversary in _applied(loaded, registry, cell.label):
        param = adversary.features_param or ""
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
            where: Location = ["adversaries", position, "params", param, place]
            yield str(loaded.source.error(where, message))


def budget_mistakes(loaded: Loaded, registry: Registry, cell: PlannedDataset, facts: Facts) -> Iterator[str]:
    """Budgets above what the data has to spend."""
    total = _total_value(cell, facts)
    for position, entry, adversary in _applied(loaded, registry, cell.label):
        unit = UNITS[adversary.budget_unit]
        if not unit.limit_of_data:
            continue  # told without the data
        for place, budget in enumerate(entry.budgets):
            if isinstance(budget, str):
                continue
            if too_much := unit.exceeds(budget, total, facts.n_features, rounding=1e-9):
                message = f"{too_much} of {cell.label}: give at most that"
                yield str(loaded.source.error(["adversaries", position, "budgets", place], message))


def budgets_of_all(loaded: Loaded, registry: Registry, cell: PlannedDataset, facts: Facts) -> Iterator[str]:
    """Budgets that take every feature the data has: nothing is left for a method to tell rows apart by."""
    total = _total_value(cell, facts)
    for position, entry, adversary in _applied(loaded, registry, cell.label):
        unit = UNITS[adversary.budget_unit]
        if not unit.limit_of_data:
            continue
        most, what = unit.limit(total, facts.n_features)
        for place, budget in enumerate(entry.budgets):
            amount = float(budget.rstrip("%")) / 100 * most if isinstance(budget, str) else budget
            if amount >= most * (1 - 1e-9) > 0:
                message = (
                    f"budget {budget if isinstance(budget, str) else f'{budget:g}'} takes all features of {cell.label} "
                    f"({most:g} is {what}): no method can do better there than one that looks at none"
                )
                yield str(loaded.source.error(["adversaries", position, "budgets", place], message))


def _applied(loaded: Loaded, registry: Registry, label: str) -> Iterator[tuple[int, AdversaryEntry, Adversary]]:
    """The suite's known adversaries of a dataset, with their positions."""
    for position, entry in enumerate(loaded.suite.adversaries):
        if entry.name in registry.adversaries and (not entry.datasets or label in entry.datasets):
            yield position, entry, registry.adversaries[entry.name]


def _total_value(cell: PlannedDataset, facts: Facts) -> float | None:
    """None where each feature has the value 1, or the values are made to sum to as much."""
    if isinstance(cell.feature_values, str):
        return facts.total_value if cell.feature_values == "given" else None
    return float(sum(cell.feature_values))


def refused(
    loaded: Loaded,
    registry: Registry,
    declared: Dataset,
    dataset: DatasetEntry,
    cell: PlannedDataset | None = None,
    facts: Facts | None = None,
    two_classes: Collection[int] = (),
) -> Iterator[tuple[str, int, str]]:
    """Entries that do not take a dataset: their kind, their position, and why.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    declared : Dataset
    dataset : DatasetEntry
    cell, facts : PlannedDataset and Facts, optional
        One of the entry's cells with its data; without them, what the dataset's declaration decides.
    two_classes : collection of int, default=()
        Positions of the methods that take no more classes.
    """
    label = dataset.display_name
    kind = DataKind(declared.task)
    if cell is not None and facts is not None:
        kind = DataKind(declared.task, facts.is_sparse, facts.has_gaps and not _imputes(cell), facts.n_classes)
    for position, adversary in enumerate(loaded.suite.adversaries):
        if adversary.name not in registry.adversaries or (adversary.datasets and label not in adversary.datasets):
            continue
        if reason := of_adversary(registry.adversaries[adversary.name], declared.task):
            yield "adversaries", position, f"{adversary.display_name} {reason}"
    for position, method in enumerate(loaded.suite.algorithms):
        if method.datasets is not None and label not in method.datasets:
            continue
        try:
            algorithm = registry.algorithms[method.name]
        except UnknownNameError:  # told elsewhere, as an adversary that is not known is
            continue
        if reason := of_algorithm(algorithm, kind, position not in two_classes):
            yield "algorithms", position, f"{method.display_name} {reason}"


def _of_two_classes(
    loaded: Loaded,
    registry: Registry,
    fingerprints: Fingerprints,
    plugins: tuple[str, ...],
    seen: Iterable[Facts | Unreadable],
    findings: Findings,
) -> set[int]:
    """Positions of the methods that take two classes alone, where some data has more; each is made in a worker."""
    if all(isinstance(facts, Unreadable) or facts.n_classes <= 2 for facts in seen):
        return set()
    known: dict[int, Any] = {}
    keys: dict[int, str] = {}
    for position, method in enumerate(loaded.suite.algorithms):
        try:
            keys[position] = digest([fingerprints.algorithm(method.name), portable_params(method.params)], 32)
        except UnknownNameError:  # told elsewhere
            continue
        known[position] = kept("classes", keys[position])
    left = [position for position, answer in known.items() if answer is None]
    calls = [(entry.name, entry.params, plugins) for entry in map(loaded.suite.algorithms.__getitem__, left)]
    for position, answer in zip(left, call_all(_takes_many_classes, calls, [SECONDS] * len(calls)), strict=True):
        known[position] = answer
        if isinstance(answer, Exception):
            label = loaded.suite.algorithms[position].display_name
            message = f"{label} was not looked at before the run: making it {answer}; its trials will show more"
            findings.warnings.append(str(loaded.source.error(["algorithms", position], message)))
        else:
            keep("classes", keys[position], answer)
    return {position for position, answer in known.items() if answer is False}


def _takes_many_classes(name: str, params: Mapping[str, Any], plugins: tuple[str, ...]) -> bool:
    return takes_many_classes(known_plugins(plugins).algorithms[name], params)


def _imputes(cell: PlannedDataset) -> bool:
    from benchkit.trial.preparation import imputes  # which imports scikit-learn

    return imputes(cell.preprocess)


@dataclass(frozen=True)
class Findings:
    """What was seen, each a line with its place and its remedy.

    Attributes
    ----------
    mistakes : list of str
        With these nothing is to run.
    warnings : list of str
        Some trials will be skipped.
    notes : list of str
        What is worth knowing of a plan, and nothing is wrong with.
    refused : mapping of (str, int) to mapping of str to str
        By kind and position of an entry: why it does not take each dataset, by label.
    """

    mistakes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: dict[tuple[str, int], dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def refuse(self, label: str, entries: Iterable[tuple[str, int, str]]) -> None:
        """Add entries, by kind and position, that do not take a dataset, and why."""
        for kind, position, reason in entries:
            self.refused[kind, position][label] = reason

    def told(self, loaded: Loaded) -> Findings:
        """Each once, though it may have been seen in many cells, and what the entries refuse among them.

        An entry that takes none of its datasets is a mistake; of one that takes some, those left out are warned of.
        """
        suite = loaded.suite
        mistakes, warnings = list(self.mistakes), list(self.warnings)
        listed: dict[str, Sequence[AlgorithmEntry | AdversaryEntry]]
        listed = {"algorithms": suite.algorithms, "adversaries": suite.adversaries}
        for (kind, position), reasons in self.refused.items():
            applies = set(listed[kind][position].datasets or [entry.display_name for entry in suite.datasets])
            for label, reason in reasons.items():
                said = str(loaded.source.error([kind, position], f"{reason} ({label})"))
                if applies <= reasons.keys():
                    mistakes.append(said)
                else:
                    warnings.append(f"{said}; its trials there will be skipped")
        once = [list(dict.fromkeys(said)) for said in (mistakes, warnings, self.notes)]
        return Findings(mistakes=once[0], warnings=once[1], notes=once[2])
