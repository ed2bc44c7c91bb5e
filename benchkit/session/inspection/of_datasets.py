"""What is wrong with a suite's entries of datasets, and loading those that are at hand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from benchkit.data.files import locate_file
from benchkit.plugin.declarations import Data, Dataset, DataUnavailableError
from benchkit.plugin.manager import one_line
from benchkit.session.inspection.findings import Findings
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import DatasetCell
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import Location, Source
from benchkit.trial.prepared import load_dataset

# A published file is read before the run only where that takes no time to speak of.
_SMALL = 5 * 2**20


def shadowed(entry: DatasetEntry, declared: Dataset) -> Iterator[tuple[str, str]]:
    """Keys of the suite that a dataset has parameters of the same name as."""
    parameters = declared.load.parameters()
    for key in sorted(entry.model_fields_set - {"name", "params"}):
        if key in parameters and key not in entry.params:
            yield (
                key,
                f"{key!r} is a key of the suite, and a parameter of {entry.name} too: "
                f"write 'params: {{{key}: ...}}' for the parameter",
            )


def former_names(entry: DatasetEntry, declared: Dataset, source: Source, at: Location) -> Iterator[str]:
    """What a dataset says of parameters that have another name now."""
    if declared.expand is None:
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            list(declared.expand(**entry.params))
        except (ValueError, TypeError):
            return  # told where the cells are made
    for each in caught:
        if issubclass(each.category, FutureWarning):
            named = [name for name in entry.params if repr(name) in str(each.message)]
            where = _parameter(source, at, named[0]) if named else at
            yield str(source.error(where, str(each.message)))


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


def load(
    cell: DatasetCell,
    declared: Dataset,
    loaded: Loaded,
    plugins: tuple[str, ...],
    at: Location,
    entry: DatasetEntry,
    findings: Findings,
) -> Data | None:
    """The data of a cell, or None where it cannot be loaded, which the findings then tell."""
    try:
        return load_dataset(cell, loaded.suite.seed, plugins)
    except DataUnavailableError as error:
        # A published file that is absent is skipped and said so; a user's own was asked for, unless marked optional.
        if declared.paths is not None:
            where = _parameter(loaded.source, at, "path")
            said = str(loaded.source.error(where, str(error)))
            if entry.optional:
                findings.warnings.append(f"{said}; its trials will be skipped")
            else:
                findings.mistakes.append(said)
    except Exception as error:
        if entry.label is not None and _is_column(entry.label, cell, declared):
            findings.mistakes.append(_of_label(entry, loaded.source, at))
            return None
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


def label_mistakes(entry: DatasetEntry, declared: Dataset, data: Data, source: Source, at: Location) -> Iterator[str]:
    """A label that names a column: its writer meant the column to predict."""
    columns = {*data.feature_names, *data.group_names, data.target_name}
    if declared.paths is not None and entry.label is not None and entry.label in columns:
        yield _of_label(entry, source, at)


def _of_label(entry: DatasetEntry, source: Source, at: Location) -> str:
    message = (
        f"{entry.label!r} is a column of the data, and 'label' is only the name that reports show: write "
        f"'target: {entry.label}' for the column to predict, and another label or none"
    )
    return str(source.error([*at, "label"], message))


def _is_column(label: str, cell: DatasetCell, declared: Dataset) -> bool:
    """Whether data that cannot be loaded by the default target can be by this one."""
    if declared.paths is None or "target" in cell.params or "target" not in declared.load.parameters():
        return False
    try:
        declared.load(**{**cell.params, "target": label})
    except Exception:  # whatever is wrong then, the first mistake is told
        return False
    return True
