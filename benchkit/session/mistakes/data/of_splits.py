"""What a split asks of the data's columns, and the data does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchkit.plugin.declarations import Dataset
from benchkit.session.mistakes.data.reading import Facts
from benchkit.session.mistakes.findings import Findings
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import PlannedDataset
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import Location

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
