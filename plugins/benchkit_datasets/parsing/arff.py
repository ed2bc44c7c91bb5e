"""ARFF tables whose attributes are all numbers."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
from scipy.io import arff

from benchkit_datasets.parsing.content import read_text


def read_arff(path: Path, columns: int, rows: int) -> tuple[list[str], np.ndarray]:
    """Names of the attributes, and their values as float64 of shape (rows, columns).

    Raises
    ------
    ValueError
        One line, naming the file, where it is not ARFF, an attribute is no number, or it has another size.
    """
    text = read_text(path)
    _check_widths(path, text, columns)
    try:
        table, declared = arff.loadarff(StringIO(text))
    except NotImplementedError:
        raise ValueError(f"{path}: an attribute is text, expected numbers") from None
    # A header without an end is a StopIteration, a row with fewer values than attributes an IndexError.
    except IndexError:
        raise ValueError(f"{path}: more attributes than the {columns} columns expected") from None
    except (ValueError, StopIteration, arff.ArffError) as error:
        detail = " ".join(str(error).split()) or "no @data"
        raise ValueError(f"{path}: not a whole ARFF table of numbers ({detail})") from None
    names = declared.names()
    for name, kind in zip(names, declared.types(), strict=True):
        if kind != "numeric":
            raise ValueError(f"{path}: attribute {name} is {kind}, expected a number")
    if len(names) != columns:
        raise ValueError(f"{path}: {len(names)} attributes, expected {columns}")
    if len(table) != rows:
        raise ValueError(f"{path}: {len(table)} rows, expected {rows}")
    values = np.column_stack([table[name] for name in names])
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(
            f"{path}: {values[row, column]} in data row {row + 1}, {names[column]}, is not a finite number"
        )
    return names, values


def _check_widths(path: Path, text: str, columns: int) -> None:
    """Refuse rows of another width: scipy says no row's number, and drops what is too much."""
    in_data = False
    for line, content in enumerate(text.split("\n"), start=1):
        if in_data and content.strip() and not content.startswith("%") and content.count(",") != columns - 1:
            raise ValueError(f"{path}: {content.count(',') + 1} columns in row {line}, expected {columns}")
        in_data = in_data or content.strip().lower() == "@data"
