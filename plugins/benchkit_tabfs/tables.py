"""The tables that TabFSBench keeps, each a csv file with a header whose last column is the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from benchkit import Data, require_file

Encoding = Literal["one-hot", "codes"]


@dataclass(frozen=True)
class Table:
    """What a file has to be.

    Attributes
    ----------
    rows, columns : int
        Columns with the target.
    target : str
        The last column.
    labels : mapping
        What each class becomes; empty for a target of numbers.
    categories : tuple of str
        Columns of text, in the file's order.
    moments : str
        One of them that holds dates with an hour, "2011/1/1 0:00".
    """

    rows: int
    columns: int
    target: str
    labels: Mapping[str, int] = field(default_factory=dict)
    categories: tuple[str, ...] = ()
    moments: str = ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TABLES = {
    "abalone": Table(rows=4177, columns=9, target="Age", categories=_words("Sex")),
    "bike": Table(
        rows=10886, columns=10, target="count", categories=_words("datetime season weather"), moments="datetime"
    ),
    "concrete": Table(rows=1030, columns=9, target="csMPa"),
    "credit": Table(
        rows=1000,
        columns=21,
        target="class",
        labels={"good": -1, "bad": 1},
        categories=_words(
            "checking_status credit_history purpose savings_status employment personal_status other_parties "
            "property_magnitude other_payment_plans housing job own_telephone foreign_worker"
        ),
    ),
    "electricity": Table(rows=45312, columns=9, target="class", labels={"DOWN": -1, "UP": 1}),
    "eyemovements": Table(rows=10936, columns=28, target="label", labels={"0": 0, "1": 1, "2": 2}),
    "heart": Table(
        rows=918,
        columns=12,
        target="HeartDisease",
        labels={"absent": -1, "present": 1},
        categories=_words("Sex ChestPainType RestingECG ExerciseAngina ST_Slope"),
    ),
    "iris": Table(rows=150, columns=5, target="Species", labels={"setosa": 0, "versicolor": 1, "virginica": 2}),
    "laptop": Table(
        rows=1275,
        columns=23,
        target="Price_euros",
        categories=_words(
            "Company Product TypeName OS Screen Touchscreen IPSpanel RetinaDisplay CPU_company CPU_model "
            "PrimaryStorageType SecondaryStorageType GPU_company GPU_model"
        ),
    ),
}


def load_table(name: str, encoding: Encoding = "one-hot") -> Data:
    """A table as numbers.

    Parameters
    ----------
    name : str
        Of the table.
    encoding : {"one-hot", "codes"}, default="one-hot"
        One column a category, in sorted order, the columns of one being a group; of a date its year, month, day and
        hour, a group, too. Or one column of codes 0, 1, ... in sorted order, named ``COLUMN=code``.

    Returns
    -------
    Data
        Every column of the table is a group of its own name.

    Raises
    ------
    ValueError
        The file is not the table, in one line.
    """
    if encoding not in ("one-hot", "codes"):
        raise ValueError(f"encoding is {encoding!r}, expected 'one-hot' or 'codes'")
    table = TABLES[name]
    path = require_file(f"tabfsbench/{name}.csv")
    frame = _read(path, table)
    blocks, names, groups = [], [], []
    start = 0
    for column in frame.columns[:-1]:
        values = frame[column]
        if column not in table.categories:
            block, parts = _numbers(path, values)[:, None], [column]
        elif encoding == "codes":
            block, parts = np.unique(values, return_inverse=True)[1][:, None].astype(float), [f"{column}=code"]
        elif column == table.moments:
            block, parts = _moments(path, values)
        else:
            categories, codes = np.unique(values, return_inverse=True)
            block = (codes[:, None] == np.arange(len(categories))).astype(float)
            parts = [f"{column}={category}" for category in categories]
        blocks.append(block)
        names += parts
        groups.append(list(range(start, start + len(parts))))
        start += len(parts)
    target = frame[table.target]
    return Data(
        X=np.column_stack(blocks),
        y=_labels(path, target, table.labels) if table.labels else _numbers(path, target),
        feature_names=names,
        groups=groups,
        group_names=list(frame.columns[:-1]),
        target_name=table.target,
    )


def _read(path: Path, table: Table) -> pd.DataFrame:
    try:
        # Text as it stands: "NA" would be a category, and nothing is missing.
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: no csv table: {str(error).splitlines()[0]}") from None
    if frame.shape != (table.rows, table.columns):
        raise ValueError(
            f"{path}: {frame.shape[0]} rows of {frame.shape[1]} columns, expected {table.rows} of {table.columns}"
        )
    absent = {table.target, *table.categories} - set(frame.columns)
    if absent or frame.columns[-1] != table.target:
        raise ValueError(f"{path}: the last column is {frame.columns[-1]!r}, expected {table.target!r}")
    return frame


def _numbers(path: Path, values: pd.Series) -> np.ndarray:
    numbers: np.ndarray = pd.to_numeric(values.str.strip(), errors="coerce").to_numpy(dtype=np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise ValueError(f"{path}: {values.iloc[row]!r} in record {row + 1} of {values.name} is not a finite number")
    return numbers


def _labels(path: Path, values: pd.Series, labels: Mapping[str, int]) -> np.ndarray:
    unknown = ~values.isin(list(labels))
    if unknown.any():
        row = int(np.argmax(unknown))
        raise ValueError(
            f"{path}: label {values.iloc[row]!r} in record {row + 1}, expected one of {', '.join(map(repr, labels))}"
        )
    classes: np.ndarray = values.map(labels).to_numpy(dtype=int)
    return classes


def _moments(path: Path, values: pd.Series) -> tuple[np.ndarray, list[str]]:
    moments = pd.to_datetime(values, format="%Y/%m/%d %H:%M", errors="coerce")
    if moments.isna().any():
        row = int(np.argmax(moments.isna()))
        raise ValueError(f"{path}: {values.iloc[row]!r} in record {row + 1} of {values.name} is no date with an hour")
    parts = {"year": moments.dt.year, "month": moments.dt.month, "day": moments.dt.day, "hour": moments.dt.hour}
    return np.column_stack(list(parts.values())).astype(float), [f"{values.name}={part}" for part in parts]


def _loader(name: str) -> Callable[..., Data]:
    def load(encoding: Encoding = "one-hot") -> Data:
        """The table as numbers.

        Parameters
        ----------
        encoding : {"one-hot", "codes"}, default="one-hot"
            As of `load_table`.
        """
        return load_table(name, encoding)

    return load


load_abalone, load_bike, load_concrete = map(_loader, ("abalone", "bike", "concrete"))
load_credit, load_electricity, load_eyemovements = map(_loader, ("credit", "electricity", "eyemovements"))
load_heart, load_iris, load_laptop = map(_loader, ("heart", "iris", "laptop"))
