"""What is wrong with a suite's entries of datasets, before any data is read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from benchkit.data.files import locate_file
from benchkit.plugin.declarations import Dataset
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import Location, Source

# A published file is read before the run only where that takes no time to speak of.
_SMALL = 5 * 2**20


def shadowed(entry: DatasetEntry, declared: Dataset, source: Source, at: Location) -> Iterator[str]:
    """Keys of the suite that a dataset has parameters of the same name as."""
    parameters = declared.load.parameters()
    for key in sorted(entry.model_fields_set - {"name", "params"}):
        if key in parameters and key not in entry.params:
            message = (
                f"{key!r} is a key of the suite, and a parameter of {entry.name} too: "
                f"write 'params: {{{key}: ...}}' for the parameter"
            )
            yield str(source.error([*at, key], message))


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
            where = source.place_of_parameter(at, named[0]) if named else at
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
