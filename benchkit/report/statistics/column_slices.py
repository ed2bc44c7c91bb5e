"""The slices that a column divides the rows of a data set into: its categories, or quarters of its numbers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from benchkit.plugin.declarations import Categories

if TYPE_CHECKING:
    import numpy as np

MOST_CATEGORIES = 12
"""Categories that are slices of their own; the rarer ones are one slice together."""
_FEW_NUMBERS = 6  # as many different numbers or fewer are categories
MISSING = "(missing)"


class ColumnSlice(NamedTuple):
    """Rows that are alike in a column.

    Attributes
    ----------
    name : str
        Such as ``north``, or ``0.3 to 0.7``.
    rows : ndarray of bool of shape (n_rows,)
    link : str, default=" = "
        What stands between the column and the name in a sentence.
    """

    name: str
    rows: np.ndarray
    link: str = " = "


def column_slices(column: np.ndarray | Categories) -> list[ColumnSlice]:
    """The slices of a column, in the order of its values; rows without a value are a slice, too.

    Parameters
    ----------
    column : ndarray or Categories of shape (n_rows,)
        Of few different values each is a slice; other numbers and moments are divided at their quartiles.
    """
    import numpy as np

    from benchkit.data.columns import missing_values

    values = column if isinstance(column, Categories) else np.asarray(column)
    if not isinstance(values, Categories) and values.dtype.kind not in "biufM":
        values = Categories.of(values)
    if isinstance(values, Categories):
        moments = _moments(values)
        if moments is None:
            return _of_categories(np.asarray(values.codes), [str(name) for name in values.names])
        values = moments
    missing = missing_values(values)
    different = np.unique(values[~missing])
    if len(different) <= _FEW_NUMBERS:
        codes = np.where(missing, -1, np.searchsorted(different, values))
        return _of_categories(codes, [_text(value) for value in different])
    return _quarters(values, missing)


def _of_categories(codes: np.ndarray, names: list[str]) -> list[ColumnSlice]:
    import numpy as np

    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    often = sorted(np.argsort(-counts, kind="stable")[:MOST_CATEGORIES].tolist())
    if len(names) <= MOST_CATEGORIES:
        often = list(range(len(names)))
    slices = [ColumnSlice(names[place], codes == place) for place in often if counts[place]]
    others = [place for place in range(len(names)) if place not in set(often)]
    if others:
        slices.append(ColumnSlice(f"({len(others)} others)", np.isin(codes, others)))
    return slices + ([ColumnSlice(MISSING, codes < 0)] if (codes < 0).any() else [])


def _moments(column: Categories) -> np.ndarray | None:
    """Texts that are all dates, as text tables have them (2024-05-31), where they are too many for categories."""
    import numpy as np

    names = [str(name) for name in column.names]
    if len(names) <= MOST_CATEGORIES or not all(name.count("-") == 2 for name in names):
        return None
    try:
        moments = np.append(np.array(names, dtype="datetime64[s]"), np.datetime64("NaT"))
    except ValueError:
        return None
    found: np.ndarray = moments[column.codes]
    return found


def _quarters(values: np.ndarray, missing: np.ndarray) -> list[ColumnSlice]:
    """Up to four slices of about as many rows each, none where values repeat that much."""
    import numpy as np

    known = np.sort(values[~missing])
    # Quartiles that are values of the column, so that moments have them, too.
    edges = np.unique(known[[round(share * (len(known) - 1)) for share in (0.25, 0.5, 0.75)]])
    edges = edges[edges < known[-1]]
    place = np.searchsorted(edges, values, side="left")
    texts = [_text(edge) for edge in edges]
    names = [f"at most {texts[0]}"] if texts else ["all"]
    names += [f"{low} to {high}" for low, high in pairwise(texts)]
    names += [f"above {texts[-1]}"] if texts else []
    slices = [ColumnSlice(name, (place == each) & ~missing, " ") for each, name in enumerate(names)]
    return slices + ([ColumnSlice(MISSING, missing)] if missing.any() else [])


def _text(value: object) -> str:
    """A value as it is told; moments without a time of day that they do not have."""
    import numpy as np

    if isinstance(value, np.datetime64):
        day = value.astype("datetime64[D]")
        return str(day if day == value else value.astype("datetime64[s]")).replace("T", " ")
    if isinstance(value, np.bool_):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, np.floating) else str(value)
