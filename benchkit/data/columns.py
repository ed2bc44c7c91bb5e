"""Columns of a data set by name, whatever they are kept as, and how they stand for those of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchkit.plugin.declarations import Categories, Data, Task
from benchkit.plugin.nearest_name import suggestion

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 20


def column_names(data: Data) -> list[str]:
    """The names by which `find_column` finds something."""
    names = [*data.columns, *_blocks(data), *(map(str, data.feature_names)), data.target_name]
    return [name for name in dict.fromkeys(names) if name]


def find_column(data: Data, name: str) -> np.ndarray | Categories:
    """The column of a data set that has a name: one of its further columns, a feature, or the target.

    Where it has none of that name, a `ValueError` names the nearest.
    """
    features = [str(feature) for feature in data.feature_names]
    if name in data.columns:
        return data.columns[name]
    places = [features.index(name)] if name in features else _blocks(data).get(name, [])
    if places:
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
    if data.one_hot is None:
        return named
    known = [list(block) for block in data.one_hot]
    return {name: group for name, group in named.items() if len(group) == 1 or group in known}


def column_codes(column: np.ndarray | Categories) -> np.ndarray:
    """Whole numbers from 0 on for the different values of a column, in their order; -1 where a value is missing."""
    import pandas as pd

    if isinstance(column, Categories):
        values = pd.Series(np.where(column.codes < 0, np.nan, column.codes))
    else:
        values = pd.Series(np.asarray(column))
        values = values.map(str, na_action="ignore") if values.dtype == object else values
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


@dataclass(frozen=True)
class TableColumns:
    """What turns encoded rows into those of the table that they are from."""

    task: Task
    names: Sequence[str]  # of the table's columns; empty where the data has no names
    members: Sequence[Sequence[int]]  # the data's columns of each of them
    texts: Sequence[Sequence[str] | None]  # what each of these stands for, of categories; None of numbers
    classes: Sequence[Any] = ()  # the data's labels, sorted; empty where numbers are predicted
    class_names: Sequence[str] = ()  # what the table calls them

    @classmethod
    def of(cls, data: Data, task: Task) -> TableColumns:
        """Those of a data set."""
        features, members = [str(name) for name in data.feature_names], [list(map(int, group)) for group in data.groups]
        grouped = {place for group in members for place in group}
        rest = [place for place in range(data.X.shape[1]) if place not in grouped]
        names = [str(name) for name in data.group_names or features]
        if members and features:  # columns in no group are features, too
            names += [features[place] for place in rest]
        members += [[place] for place in rest]
        texts: list[list[str] | None] = []  # of a category what follows its name in those of its columns
        for name, own in zip(names, members, strict=False):
            category = all(features[place].startswith(f"{name}=") for place in own)
            texts.append([features[place].removeprefix(f"{name}=") for place in own] if category else None)
        classes = np.unique(data.y).tolist() if task == "classification" else []
        return cls(task, names, members, texts, classes, [str(name) for name in data.class_names])

    def table(self, X: np.ndarray) -> pd.DataFrame | np.ndarray:
        """Encoded rows, of shape (n_samples, n_columns), as the table has them.

        A category whose columns are all 0, or NaN, is missing. Where an adversary leaves fractions, as means are, the
        largest of them is the category.
        """
        import pandas as pd

        if not self.names:
            return X
        made: dict[str, Any] = {}
        for name, own, texts in zip(self.names, self.members, self.texts, strict=True):
            if texts is None:
                made[name] = X[:, own[0]]
                continue
            block = np.nan_to_num(X[:, list(own)], nan=0.0)
            # A reader of tables takes these texts for truth values.
            read = [{"True": True, "False": False}.get(text, text) for text in texts]
            values = np.array(read, dtype=object)[block.argmax(axis=1)]
            made[name] = np.where(block.max(axis=1) > 0, values, None)
        return pd.DataFrame(made)

    def labels(self, y: np.ndarray) -> np.ndarray:
        """The data's labels as the table calls them."""
        if not self.class_names:
            return y
        return np.asarray(self.class_names, dtype=object)[np.searchsorted(np.asarray(self.classes), y)]
