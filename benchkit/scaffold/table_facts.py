"""What is peculiar of a table's columns and rows, from the data that a reader makes of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchkit.data.columns import column_codes, find_column
from benchkit.plugin.declarations import Categories, Data

# A category has so many values at most, and so many rows of each, unless its values are few.
_MOST_VALUES, _FEWEST_ROWS, _FEW_VALUES = 200, 5, 20
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}( .*)?")
_NAMES_OF_ROWS = re.compile(r"(|unnamed.*|rownames?|row|index|id|(.*[_ .-])(id|nr|no)|.*[a-z]ID|ID)")
_FEW_ROWS = 200
_RARE = 0.1


@dataclass(frozen=True)
class Fact:
    """A line of what is seen.

    Attributes
    ----------
    where : str
        A column, or ``rows``, or the target.
    what : str
    done : str
        What the suite does about it.
    """

    where: str
    what: str
    done: str


def useless_columns(data: Data) -> list[Fact]:
    """Columns that tell nothing of other rows: without values, of one value, free text, dates, numbers of rows."""
    return [Fact(name, what, "left out") for name, what in _columns(data) if what]


def _columns(data: Data) -> list[tuple[str, str]]:
    groups = data.groups or [[place] for place in range(data.X.shape[1])]
    names = data.group_names or data.feature_names
    cases = len(np.unique(_hashes(data)))  # a row that is written twice has its number twice
    said = []
    for name, places in zip(names, groups, strict=True):
        if len(places) == 1 and "=" not in str(data.feature_names[places[0]]):
            said.append((str(name), _of_numbers(str(name), data.X[:, places[0]], cases)))
        else:
            texts = [str(data.feature_names[place]).removeprefix(f"{name}=") for place in places]
            said.append((str(name), _of_texts(texts, data.X[:, places[0]])))
    return said


def _of_numbers(name: str, values: np.ndarray, cases: int) -> str:
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return "no value in any row"
    # Two rows are compared, before all are sorted.
    if known[0] == known[-1] and len(np.unique(known)) == 1:
        return "the same value in every row"
    if len(known) < len(values) or not np.array_equal(known, np.round(known)):
        return ""
    numbered = len(known) > 2 and bool((np.diff(known) > 0).all()) and known[-1] - known[0] < 20 * len(known)
    if (numbered or _NAMES_OF_ROWS.fullmatch(name)) and len(np.unique(known)) == cases:
        return "a number of its own for every row"
    return ""


def _of_texts(texts: Sequence[str], first: np.ndarray) -> str:
    rows = int((~np.isnan(first)).sum())
    if len(texts) == 1:
        return "the same value in every row"
    if len(texts) > 2 and all(_DATE.fullmatch(text.strip()) for text in texts):
        return "dates"
    if len(texts) > _MOST_VALUES or (len(texts) > _FEW_VALUES and rows < _FEWEST_ROWS * len(texts)):
        return f"{len(texts)} different texts in {rows} rows"
    return ""


def are_dates(column: np.ndarray | Categories) -> bool:
    """Whether the values of a column are dates."""
    if not isinstance(column, Categories):
        return column.dtype.kind == "M"
    return len(column.names) > 2 and all(_DATE.fullmatch(str(text).strip()) for text in column.names)


def row_facts(
    data: Data, regression: bool, of_all: int | None, untold: int = 0, left_out: Sequence[str] = ()
) -> list[Fact]:
    """What is peculiar of the rows and of what is predicted.

    Parameters
    ----------
    data : Data
    regression : bool
        Whether numbers are predicted.
    of_all : int or None
        Rows of the file, of which ``data`` has a part; None where it has all.
    untold : int, default=0
        Rows without a target, which ``data`` does not have.
    left_out : sequence of str
        Columns that are no features. Rows that differ in them alone are alike for a method, and need not be one case.
    """
    facts = []
    n = len(data.y)
    if untold:
        facts.append(Fact("rows", f"{untold} have no {data.target_name}", "left out (missing_target: drop)"))
    if of_all is not None:
        facts.append(Fact("rows", f"{of_all} in the file", f"{n} of them are drawn (rows: {n})"))
    copies = n - len(np.unique(_hashes(data)))
    if copies:
        differ = copies - (n - len(np.unique(_hashes(data, left_out))))
        but = f"{f', {differ} of them' if differ < copies else ''} but for {', '.join(left_out)}" if differ else ""
        facts.append(
            Fact(
                "rows",
                f"{copies} of {n} are copies of others{but}",
                "kept: a row may be tested whose copy was trained on; remove those that are one case written twice",
            )
        )
    if n < _FEW_ROWS:
        facts.append(Fact("rows", f"only {n}", "more repetitions; intervals stay wide, whatever is repeated"))
    if not regression:
        labels, counts = class_counts(data)
        if is_rare(data):
            facts.append(
                Fact(
                    data.target_name or "target",
                    f"{counts.min() / n:.1%} of the rows are of class {labels[counts.argmin()]}",
                    f"{_hidden(labels, counts)}: balanced_accuracy is the first metric",
                )
            )
    return facts


def _hidden(labels: Sequence[str], counts: np.ndarray) -> str:
    """What a share of errors says of rare classes."""
    n = counts.sum()
    if len(counts) > 2:
        return "errors on so few rows hardly change the share of all errors"
    return f"always answering {labels[int(counts.argmax())]} has an error of {(n - counts.max()) / n:.1%} only"


def class_counts(data: Data) -> tuple[list[str], np.ndarray]:
    """The classes as the file names them, and how many rows each has, of shape (n_classes,)."""
    classes, counts = np.unique(data.y, return_counts=True)
    named = data.class_names if len(data.class_names) == len(classes) else classes.tolist()
    return list(map(str, named)), counts


def is_rare(data: Data) -> bool:
    """Whether a class is so rare that the share of errors says little."""
    counts = np.unique(data.y, return_counts=True)[1]
    return bool(counts.min() / len(data.y) < min(_RARE, 0.5 / len(counts)))


def _hashes(data: Data, left_out: Sequence[str] = ()) -> np.ndarray:
    import pandas as pd

    aside = {f"left out: {name}": column_codes(find_column(data, name)) for name in left_out}
    frame = pd.DataFrame(data.X, copy=False).assign(target=data.y, **aside)
    return np.asarray(pd.util.hash_pandas_object(frame, index=False))
