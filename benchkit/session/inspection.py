"""Looking at a suite's data before anything runs, to tell all of its mistakes at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchkit.data.files import locate_file
from benchkit.environment.place import is_satisfied_here
from benchkit.plugin.declarations import Adversary, Algorithm, Data, Dataset, DataUnavailableError, Deferred, Features
from benchkit.plugin.manager import Registry, one_line
from benchkit.suite.load import Loaded
from benchkit.suite.plan import DatasetCell, dataset_cells
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import Location, Source
from benchkit.trial.prepared import forget, load_dataset
from benchkit.trial.preprocessing import imputes

# A published file is read before the run only where that takes no time to speak of.
_SMALL = 5 * 2**20


@dataclass(frozen=True)
class Findings:
    """What was seen, each a line with its place and its remedy.

    Attributes
    ----------
    mistakes : list of str
        With these nothing is to run.
    warnings : list of str
        Some trials will be skipped.
    """

    mistakes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def plugin_mistakes(loaded: Loaded, registry: Registry) -> list[str]:
    """What plugins declare that cannot be imported, of what the suite names: once each, and of the plugin's file."""
    suite = loaded.suite
    named: dict[str, Iterable[str]] = {
        "datasets": (entry.name for entry in suite.datasets),
        "algorithms": (entry.name for entry in suite.algorithms),
        "adversaries": (entry.name for entry in suite.adversaries),
        "metrics": suite.metrics,
    }
    broken: dict[tuple[str, str], str] = {}
    for kind, names in named.items():
        catalogue = registry.catalogue(kind)
        for name in names:
            if name not in catalogue:
                continue
            declared = catalogue[name]
            environment = getattr(declared, "environment", None)
            if environment is not None and not is_satisfied_here(environment):
                continue  # another interpreter imports it, or its trials are skipped
            code: Deferred = (
                declared.load if kind == "datasets" else getattr(declared, "make", None) or declared.compute
            )
            try:
                code.resolve()
            except Exception as error:
                plugin = catalogue.origin[name]
                where = registry.plugins.get(plugin, plugin)
                said = f"{where}: {catalogue.kind} {name!r} cannot be imported from {code.target!r}: {one_line(error)}"
                broken.setdefault((plugin, str(code.target)), said)
    return list(broken.values())


def inspect(loaded: Loaded, registry: Registry, plugins: tuple[str, ...], only: set[str] | None = None) -> Findings:
    """Look at the data that is at hand, and at what methods and adversaries ask of it.

    Each dataset is loaded once. Data that would be drawn, fetched, or take long to read is left alone.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    plugins : tuple of str
        Plugin files, absolute.
    only : set of str, optional
        Labels of the datasets that have trials left; all where None.
    """
    forget()  # files may have changed since this process read them
    findings = Findings()
    refused: dict[int, dict[str, str]] = {}
    for position, entry in enumerate(loaded.suite.datasets):
        if entry.name not in registry.datasets or (only is not None and entry.display_name not in only):
            continue
        at: Location = ["datasets", position]
        declared = registry.datasets[entry.name]
        findings.mistakes.extend(str(loaded.source.error([*at, key], said)) for key, said in _shadowed(entry, declared))
        # An axis over a dataset's parameter has as many data sets as values, and may give what loading needs.
        if not _at_hand(declared) or (loaded.suite.axis and loaded.suite.axis.parameter.startswith("dataset.")):
            continue
        try:
            cells = dataset_cells(loaded.suite, entry, declared)
        except (ValueError, TypeError) as error:
            findings.mistakes.append(str(loaded.source.error(at, str(error))))
            continue
        for cell in cells:
            data = _load(cell, declared, loaded, plugins, at, entry.optional, findings)
            if data is None:
                continue
            findings.mistakes.extend(_label_mistakes(entry, declared, data, loaded.source, at))
            findings.mistakes.extend(_budget_mistakes(loaded, registry, cell, data))
            _ask_algorithms(loaded, registry, cell, data, refused)
    for position, reasons in refused.items():
        algorithm = loaded.suite.algorithms[position]
        applies = set(algorithm.datasets or [entry.display_name for entry in loaded.suite.datasets])
        everywhere = applies <= reasons.keys()
        for label, reason in reasons.items():
            said = str(loaded.source.error(["algorithms", position], f"{algorithm.display_name} {reason} ({label})"))
            (findings.mistakes if everywhere else findings.warnings).append(
                said if everywhere else f"{said}; its trials there will be skipped"
            )
    forget()
    # One mistake may be seen in many cells.
    return Findings(list(dict.fromkeys(findings.mistakes)), list(dict.fromkeys(findings.warnings)))


def _shadowed(entry: DatasetEntry, declared: Dataset) -> Iterator[tuple[str, str]]:
    """Keys of the suite that a dataset has parameters of the same name as."""
    parameters = declared.load.parameters()
    for key in sorted(entry.model_fields_set - {"name", "params"}):
        if key in parameters and key not in entry.params:
            yield (
                key,
                f"{key!r} is a key of the suite, and a parameter of {entry.name} too: "
                f"write 'params: {{{key}: ...}}' for the parameter",
            )


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


def _load(
    cell: DatasetCell,
    declared: Dataset,
    loaded: Loaded,
    plugins: tuple[str, ...],
    at: Location,
    optional: bool,
    findings: Findings,
) -> Data | None:
    try:
        return load_dataset(cell, loaded.suite.seed, plugins)
    except DataUnavailableError as error:
        # A published file that is absent is skipped and said so; a user's own was asked for, unless marked optional.
        if declared.paths is not None:
            where = _parameter(loaded.source, at, "path")
            said = str(loaded.source.error(where, str(error)))
            if optional:
                findings.warnings.append(f"{said}; its trials will be skipped")
            else:
                findings.mistakes.append(said)
    except Exception as error:
        message = str(error) if isinstance(error, ValueError) else one_line(error)
        # The parameter that the message quotes is the one to mend.
        quoted = [key for key, value in cell.params.items() if repr(value) in message or f"{key} is" in message]
        where = _parameter(loaded.source, at, quoted[0]) if quoted else at
        findings.mistakes.append(str(loaded.source.error(where, " ".join(message.split()))))
    return None


def _parameter(source: Source, at: Location, key: str) -> Location:
    """Where a dataset's parameter stands: beside the suite's keys, where ``--set`` puts it, or under ``params``."""
    beside = [*at, key]
    return beside if ".".join(map(str, beside)) in source.settings else [*at, "params", key]


def _label_mistakes(entry: DatasetEntry, declared: Dataset, data: Data, source: Source, at: Location) -> Iterator[str]:
    columns = {*data.feature_names, *data.group_names, data.target_name}
    if declared.paths is not None and entry.label is not None and entry.label in columns:
        message = (
            f"{entry.label!r} is a column of the data, and 'label' is only the name that reports show: write "
            f"'target: {entry.label}' for the column to predict, and another label or none"
        )
        yield str(source.error([*at, "label"], message))


def _budget_mistakes(loaded: Loaded, registry: Registry, cell: DatasetCell, data: Data) -> Iterator[str]:
    features = Features(data.X.shape[1], data.groups)
    for position, entry in enumerate(loaded.suite.adversaries):
        if entry.name not in registry.adversaries or (entry.datasets and cell.label not in entry.datasets):
            continue
        adversary: Adversary = registry.adversaries[entry.name]
        most, what = _most(adversary.budget_unit, cell, data, features)
        for place, budget in enumerate(entry.budgets):
            if not isinstance(budget, str) and budget > most * (1 + 1e-9):
                message = f"budget {budget:g} exceeds {most:g}, {what} of {cell.label}: give at most that"
                yield str(loaded.source.error(["adversaries", position, "budgets", place], message))


def _most(unit: str, cell: DatasetCell, data: Data, features: Features) -> tuple[float, str]:
    if unit == "value":
        values = data.feature_values if cell.feature_values == "given" else cell.feature_values
        if values is not None and not isinstance(values, str):
            return float(np.sum(values)), "the total value of the features"
    return (float(features.n_features) if unit in ("value", "features") else np.inf), "the number of features"


def _ask_algorithms(
    loaded: Loaded,
    registry: Registry,
    cell: DatasetCell,
    data: Data,
    refused: dict[int, dict[str, str]],
) -> None:
    """Note which entries do not take the data as it reaches them."""
    is_sparse = sparse.issparse(data.X)
    entries: Any = data.X.data if is_sparse else data.X
    has_gaps = not imputes(cell.preprocess) and entries.dtype.kind == "f" and bool(np.isnan(entries).any())
    for position, entry in enumerate(loaded.suite.algorithms):
        if entry.datasets is not None and cell.label not in entry.datasets:
            continue
        try:
            algorithm: Algorithm = registry.algorithms[entry.name]
        except KeyError:  # told elsewhere
            continue
        if is_sparse and not algorithm.accepts_sparse:
            reason = "takes no sparse data: choose another method, or other data"
        elif has_gaps and not algorithm.accepts_missing:
            reason = "takes no missing values: add {impute: mean} to 'preprocess'"
        else:
            continue
        refused.setdefault(position, {})[cell.label] = reason


def told_at_once(mistakes: Sequence[str]) -> str:
    """One mistake as its line; of several each on a line of its own."""
    if len(mistakes) == 1:
        return mistakes[0]
    return "\n".join([f"{len(mistakes)} mistakes:", *(f"  {mistake}" for mistake in mistakes)])
