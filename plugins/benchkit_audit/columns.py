"""Columns of a table as a model takes them, and labels as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

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
    """The position of each label among the classes, shape (n_rows,); -1 where it is none of them."""
    places = {name: place for place, name in enumerate(classes)}
    positions, distinct = pd.factorize(np.asarray(labels, dtype=object).ravel(), use_na_sentinel=True)
    table = np.array([places.get(label_text(label), -1) for label in distinct] + [-1])
    return np.asarray(table[positions])


def sorted_classes(labels: Any) -> list[str]:
    """The distinct labels as text: numbers by size, texts by the alphabet, as scikit-learn sorts them."""
    distinct = [*pd.Series(labels).dropna().unique()]
    try:
        distinct.sort()
    except TypeError:
        distinct.sort(key=str)
    return [label_text(label) for label in distinct]


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

    def array(self) -> np.ndarray:
        """Its values: numbers as floats, NaN for a gap; others as objects, None for one."""
        if self.kind != "number" or self.values.dtype.kind == "b":
            return np.asarray(self.values.astype(object).where(self.values.notna(), None).to_numpy())
        return np.asarray(self.values.to_numpy(dtype=float, na_value=np.nan))


def make_column(name: str, values: pd.Series) -> Column:
    """A column, its kind read from its type, or from its values where these are objects."""
    kind: Kind = "category"
    if pd.api.types.is_numeric_dtype(values.dtype) or values.infer_objects().dtype.kind in "iuf":
        kind = "number"
    elif pd.api.types.is_datetime64_any_dtype(values.dtype) or pd.api.types.is_timedelta64_dtype(values.dtype):
        kind = "other"
    return Column(name, values.reset_index(drop=True), kind)


def as_categories(column: Column, trained: Sequence[Any] | None) -> Column:
    """A column of categories: those that a model was trained with, by their text, then others that its values have."""
    categories = list(trained or ())
    by_text = {label_text(value): value for value in categories}
    objects = column.values.astype(object).where(column.values.notna(), None)
    values = [None if value is None else by_text.get(label_text(value), value) for value in objects]
    more = sorted({value for value in values if value is not None} - set(categories), key=str)
    return Column(column.name, pd.Series(pd.Categorical(values, categories=[*categories, *more])), "category")


def replaced(values: pd.Series, mask: np.ndarray, new: Any) -> Any:
    """Values of some rows, another, or those of an array, in their place where the mask says so.

    Numbers in a column of numbers keep it one, and make one of any column where they are an array and stand in all
    rows; a text or None makes it one of objects. A category's type keeps its categories, and gains those that are new.
    """
    if isinstance(new, np.ndarray) and new.dtype.kind == "f" and mask.all():
        return new
    if isinstance(values.dtype, pd.CategoricalDtype):
        objects = values.astype(object).where(~mask, new)
        categories = list(values.cat.categories)
        more = [value for value in pd.unique(objects.dropna()) if value not in categories]
        return pd.Categorical(objects, categories=[*categories, *more], ordered=values.dtype.ordered)
    number = pd.api.types.is_numeric_dtype(values.dtype)
    if number and np.asarray(new).dtype.kind in "iufb":
        floats = values.to_numpy(dtype=np.float32 if values.dtype == np.float32 else np.float64, na_value=np.nan)
        return np.where(mask, new, floats)
    if number or new is None:
        objects = values.astype(object).to_numpy(copy=True)
        objects[mask] = new[mask] if isinstance(new, np.ndarray) else new
        return objects
    return values.where(~mask, new)
