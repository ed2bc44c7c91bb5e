"""What a split asks of the data's columns, and the data does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchkit.plugin.declarations import Dataset
from benchkit.session.mistakes.data.reading import load_data
from benchkit.session.mistakes.findings import Findings
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import PlannedDataset
from benchkit.suite.schema import SPLITS, DatasetEntry
from benchkit.suite.source import Location
from benchkit.trial.identity import Fingerprints

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


def look_at_split(
    loaded: Loaded,
    cell: PlannedDataset,
    declared: Dataset,
    fingerprints: Fingerprints,
    at: Location,
    findings: Findings,
) -> None:
    """Add to the findings what of a split by columns the data has no room for: its first and last repetition are drawn.

    Parameters
    ----------
    loaded : Loaded
    cell : PlannedDataset
    declared : Dataset
    fingerprints : Fingerprints
    at : location
        Of the data set's entry.
    findings : Findings
    """
    split = cell.split
    if not split.by_columns:
        return
    place = _place(loaded, at)
    # These import scikit-learn, which takes longer than all else before a run.
    from benchkit.trial import seeds
    from benchkit.trial.row_structure import structure_of
    from benchkit.trial.structured_split import draw_structured_split

    data = load_data(cell, declared, fingerprints)
    classify = declared.task == "classification"
    try:
        structure = structure_of(split, data)
        if split.method not in SPLITS:
            return
        for repetition in dict.fromkeys((0, split.total - 1)):
            drawn = repetition // split.folds if split.folds else repetition
            seed = seeds.integer(loaded.suite.seed, "split", cell.identity, drawn)
            parts = draw_structured_split(split, structure, data.y, repetition, classify, seed)
    except ValueError as error:
        said = " ".join(str(error).split())
        key = _KEY.match(said)
        where = [*place, key[1]] if key else place
        findings.mistakes.append(str(loaded.source.error(where, said[key.end() :] if key else said)))
        return
    if split.groups in {*data.feature_names, *data.group_names}:
        findings.warnings.append(
            str(
                loaded.source.error(
                    [*place, "groups"],
                    f"{split.groups} is a feature too, of which the rows to predict have other values than those that "
                    "are trained on: leave it out of the features (drop)",
                )
            )
        )
    if structure.groups is not None:
        findings.mistakes.extend(_tuning_mistakes(loaded, cell, structure.groups[parts.train].tolist()))


def _tuning_mistakes(loaded: Loaded, cell: PlannedDataset, groups: list[int]) -> Iterator[str]:
    """Methods whose tuning asks for more folds than the training part has groups."""
    n_groups = len(set(groups))
    for position, entry in enumerate(loaded.suite.algorithms):
        folds = max((stage.folds or 0 for stage in entry.tune), default=0)
        if folds > n_groups and (entry.datasets is None or cell.label in entry.datasets):
            said = f"{folds} folds, and the training part of {cell.label} has {n_groups} groups: give fewer folds"
            yield str(loaded.source.error(["algorithms", position, "tune"], said))


def _place(loaded: Loaded, at: Location) -> Location:
    """Where the split of a data set stands."""
    entry: DatasetEntry = loaded.suite.datasets[int(at[1])]
    return ["split"] if entry.split is None else [*at, "split"]
