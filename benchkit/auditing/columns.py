"""Columns of a hold-out: their values, labels as text, and which of them are lost together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from benchkit.errors import RequestError
from benchkit.plugin.nearest_name import nearest_name

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def label_text(label: Any) -> str:
    """One label as text; a whole number has no decimals."""
    if hasattr(label, "item"):
        label = label.item()
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def codes(labels: Any, classes: Sequence[str]) -> np.ndarray:
    """The position of each label among the classes; -1 where it is none of them.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
    classes : sequence of str

    Returns
    -------
    ndarray of int, shape (n_rows,)
    """
    import numpy as np
    import pandas as pd

    places = {name: place for place, name in enumerate(classes)}
    found, distinct = pd.factorize(np.asarray(labels, dtype=object).ravel(), use_na_sentinel=True)
    table = np.array([places.get(label_text(each), -1) for each in distinct] + [-1])
    return np.asarray(table[found])


def sorted_classes(labels: Any) -> list[str]:
    """The distinct labels as text: numbers by size, texts by the alphabet, as scikit-learn sorts them."""
    import pandas as pd

    distinct = [each for each in pd.unique(pd.Series(labels)) if each == each and each is not None]
    try:
        distinct = sorted(distinct)
    except TypeError:
        distinct = sorted(distinct, key=str)
    return [label_text(each) for each in distinct]


Kind = Literal["number", "category", "other"]


@dataclass(frozen=True)
class Column:
    """A column as the model takes it.

    Attributes
    ----------
    name : str
    values : Series of shape (n_rows,)
        Indexed from 0.
    kind : {"number", "category", "other"}
        Other are dates and the like.
    """

    name: str
    values: pd.Series
    kind: Kind

    def array(self, rows: np.ndarray) -> np.ndarray:
        """Its values in some rows: numbers as floats, NaN for a gap; others as objects, None for one."""
        import numpy as np

        values = self.values.iloc[rows]
        if self.kind != "number" or values.dtype.kind == "b":
            return np.asarray(values.astype(object).where(values.notna(), None).to_numpy())
        return np.asarray(values.to_numpy(dtype=float, na_value=np.nan))

    @property
    def mean(self) -> float:
        """The mean of a column of numbers, gaps left out; 0 where there is nothing else."""
        mean = float(self.values.mean())
        return mean if mean == mean else 0.0

    @property
    def mode(self) -> Any:
        """The most frequent value; None where there is none."""
        found = self.values.mode(dropna=True)
        return None if found.empty else found.iloc[0]


def make_column(name: str, values: pd.Series) -> Column:
    """A column, its kind read from its type."""
    import pandas as pd

    kind: Kind = "category"
    if pd.api.types.is_numeric_dtype(values.dtype):
        kind = "number"
    elif pd.api.types.is_datetime64_any_dtype(values.dtype) or pd.api.types.is_timedelta64_dtype(values.dtype):
        kind = "other"
    return Column(name, values.reset_index(drop=True), kind)


def as_categories(column: Column, trained: Sequence[Any] | None) -> Column:
    """A column of categories: those that a model was trained with, then others that its values have.

    Parameters
    ----------
    column : Column
    trained : sequence or None
        Matched with the values by their text; None where they are not known.
    """
    import pandas as pd

    known = list(trained or ())
    by_text = {label_text(each): each for each in known}
    objects = column.values.astype(object).where(column.values.notna(), None)
    values = [None if each is None else by_text.get(label_text(each), each) for each in objects]
    more = sorted({each for each in values if each is not None} - set(known), key=str)
    return Column(column.name, pd.Series(pd.Categorical(values, categories=[*known, *more])), "category")


def replaced(values: pd.Series, mask: np.ndarray, new: Any) -> Any:
    """Values of some rows, others in their place where the mask says so.

    Parameters
    ----------
    values : Series of shape (n_rows,)
    mask : ndarray of bool, shape (n_rows,)
    new : object or array of shape (n_rows,)
        Numbers in a column of numbers keep it one, and make one of any column where they are an array and stand in
        all rows; a text or None makes it one of objects. A category's type keeps its categories, and gains those that
        are new.
    """
    import numpy as np
    import pandas as pd

    if isinstance(new, np.ndarray) and new.dtype.kind == "f" and mask.all():
        return new
    if isinstance(values.dtype, pd.CategoricalDtype):
        objects = values.astype(object).where(~mask, new)
        known = list(values.cat.categories)
        more = [each for each in pd.unique(objects.dropna()) if each not in known]
        return pd.Categorical(objects, categories=[*known, *more], ordered=values.dtype.ordered)
    if pd.api.types.is_numeric_dtype(values.dtype):
        if _is_number(new):
            floats = values.to_numpy(dtype=np.float32 if values.dtype == np.float32 else np.float64, na_value=np.nan)
            return np.where(mask, new, floats)
        objects = values.astype(object).to_numpy(copy=True)
        objects[mask] = new[mask] if isinstance(new, np.ndarray) else new
        return objects
    if new is None:
        objects = values.astype(object).to_numpy(copy=True)
        objects[mask] = None
        return objects
    return values.where(~mask, new)


def _is_number(new: Any) -> bool:
    import numpy as np

    return np.asarray(new).dtype.kind in "iufb"


@dataclass(frozen=True)
class Source:
    """Columns that come from one place, and go together.

    Attributes
    ----------
    name : str
    columns : tuple of int
        Their positions.
    """

    name: str
    columns: tuple[int, ...]


def listed(names: Sequence[str], last: str = ", ") -> str:
    """Names in a row, in quotation marks where they hold a comma or an "and", which would make two of one."""
    shown = [f"'{name}'" if ", " in name or " and " in name else name for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])}{last}{shown[-1]}"


def make_sources(names: Sequence[str], groups: Mapping[str, Any] | None) -> list[Source]:
    """Every group as one source, and every other column as one of its own, in the order of the columns.

    Parameters
    ----------
    names : sequence of str
        The columns.
    groups : mapping of name to names of columns, or None

    Raises
    ------
    RequestError
        All that is wrong with the groups, in one line.
    """
    groups = groups or {}
    if not isinstance(groups, Mapping):
        raise RequestError(
            "sources: expected a mapping of names to lists of columns, such as {bureau: [income, score]}"
        )
    places = {name: place for place, name in enumerate(names)}
    owner: dict[int, str] = {}
    wrong = []
    for group, members in groups.items():
        if isinstance(members, str) or not isinstance(members, Sequence) or not members:
            wrong.append(f"{group} is {members!r}, expected a list of columns")
            continue
        for member in map(str, members):
            if member not in places:
                near = nearest_name(member, list(names))
                wrong.append(f"{group}: no column {member!r}" + (f" (is {near!r} meant?)" if near else ""))
            elif places[member] in owner:
                wrong.append(f"column {member!r} is in {owner[places[member]]} and in {group}")
            else:
                owner[places[member]] = str(group)
    if clash := [
        str(group) for group in groups if str(group) in places and owner.get(places[str(group)]) != str(group)
    ]:
        wrong.append(f"{clash[0]!r} is the name of a column that is not in the group")
    if wrong:
        raise RequestError("sources: " + "; ".join(wrong))
    members_of: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        members_of.setdefault(owner.get(place, name), []).append(place)
    return [Source(name, tuple(columns)) for name, columns in members_of.items()]
