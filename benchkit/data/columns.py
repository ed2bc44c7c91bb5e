"""Columns of a data set by name, whatever they are kept as."""

import numpy as np

from benchkit.plugin.declarations import Categories, Data
from benchkit.plugin.parameters import suggestion

_NAMED = 20


def column_names(data: Data) -> list[str]:
    """The names by which `find_column` finds something."""
    names = [*data.columns, *_blocks(data), *(map(str, data.feature_names)), data.target_name]
    return [name for name in dict.fromkeys(names) if name]


def find_column(data: Data, name: str) -> np.ndarray | Categories:
    """The column of a data set that has a name: one of its further columns, a feature, or the target.

    Where it has none of that name, a `ValueError` names the nearest.
    """
    features = [*map(str, data.feature_names)]
    if name in data.columns:
        return data.columns[name]
    if places := [features.index(name)] if name in features else _blocks(data).get(name, []):
        block = data.X[:, places]
        block = block.toarray() if hasattr(block, "toarray") else np.asarray(block)
        if len(places) == 1:
            return block[:, 0]
        # A category that is there as columns of 0 and 1 alone.
        missing = np.isnan(block).any(axis=1) | ~(block > 0).any(axis=1)
        texts = [features[place].removeprefix(f"{name}=") if features else str(place) for place in places]
        return Categories(np.where(missing, -1, np.nan_to_num(block).argmax(axis=1)).astype(np.int32), texts)
    if name and name == data.target_name:
        if not data.class_names:
            return data.y
        return Categories(np.searchsorted(np.unique(data.y), data.y), data.class_names)
    names = column_names(data)
    listed = f"{', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}"
    hint = suggestion(name, names, otherwise=f"it has {listed or 'none with a name'}")
    raise ValueError(f"the data has no column {name!r}; {hint}")


def _blocks(data: Data) -> dict[str, list[int]]:
    """The groups that are one column of the table, by name."""
    named = {str(name): list(group) for name, group in zip(data.group_names, data.groups, strict=False)}
    blocks = [*named.values()] if data.one_hot is None else [list(block) for block in data.one_hot]
    return {name: group for name, group in named.items() if len(group) == 1 or group in blocks}


def column_codes(column: np.ndarray | Categories) -> np.ndarray:
    """Whole numbers from 0 on for the different values of a column, in their order; -1 where a value is missing."""
    import pandas as pd

    if isinstance(column, Categories):
        values = pd.Series(np.where(column.codes < 0, np.nan, column.codes))
    elif (values := pd.Series(np.asarray(column))).dtype == object:
        values = values.map(str, na_action="ignore")
    codes: np.ndarray = pd.factorize(values, sort=True)[0].astype(np.int32)
    return codes


def column_moments(column: np.ndarray | Categories, name: str, asked_by: str) -> np.ndarray:
    """Places of a column's dates in their order, from 0; rows of one date share a place.

    Values are numbers, or dates such as 2024-03-05 or 2024-03-05T10:30; where one is missing, or is neither, a
    `ValueError` names the column and what names that, ``asked_by``: ``split.time``.
    """
    import pandas as pd

    values = column.values if isinstance(column, Categories) else np.asarray(column)
    if (missing := missing_values(values)).any():
        raise ValueError(
            f"{asked_by}: column {name!r} is missing in {missing.sum()} of {len(values)} rows, the first in row "
            f"{int(missing.argmax()) + 1}: rows without a date have no place in time; leave them out"
        )
    if values.dtype.kind in "OUS":
        dates = pd.to_datetime(pd.Series(values.astype(str)), format="ISO8601", errors="coerce", utc=True)
        if (wrong := dates.isna().to_numpy()).any():
            row = int(wrong.argmax())
            raise ValueError(
                f"{asked_by}: column {name!r} cannot be ordered: {str(values[row])!r} in row {row + 1} is no date; "
                "write dates as 2024-03-05 or 2024-03-05T10:30, or numbers"
            )
        values = dates.to_numpy()
    moments: np.ndarray = np.unique(values, return_inverse=True)[1]
    return moments


def missing_values(values: np.ndarray) -> np.ndarray:
    """Which values are missing: NaN, NaT or None."""
    import pandas as pd

    return np.asarray(pd.isna(values))
