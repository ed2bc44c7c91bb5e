"""What is wrong with a suite's entries of datasets, before any data is read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from benchkit.data.files import locate_file
from benchkit.plugin.declarations import Dataset
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import Location, SuiteText

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


def former_names(entry: DatasetEntry, declared: Dataset, source: SuiteText, at: Location) -> Iterator[str]:
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
