"""ARFF tables whose attributes are all numbers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from benchkit_datasets.content import read_text
from benchkit_datasets.rows import to_numbers

_ATTRIBUTE = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)\s+(\S.*)", re.IGNORECASE)


def read_arff(path: Path, columns: int, rows: int) -> tuple[list[str], np.ndarray]:
    """Names of the attributes, and their values as float64 of shape (rows, columns).

    Raises
    ------
    ValueError
        One line, naming the file, where it is not ARFF, an attribute is no number, or it has another size.
    """
    names: list[str] = []
    fields: list[list[str]] | None = None
    for line, content in enumerate(read_text(path).split("\n"), start=1):
        content = content.strip()
        if not content or content.startswith("%"):
            continue
        if fields is not None:
            fields.append([field.strip() for field in content.split(",")])
            if len(fields[-1]) != columns:
                raise ValueError(f"{path}: {len(fields[-1])} columns in row {line}, expected {columns}")
        elif declared := _ATTRIBUTE.fullmatch(content):
            if declared[2].strip().lower() not in ("real", "numeric", "integer"):
                raise ValueError(f"{path}: attribute {declared[1]} in row {line} is {declared[2]!r}, expected a number")
            names.append(declared[1].strip("'\""))
        elif content.lower() == "@data":
            fields = []
        elif not content.lower().startswith("@relation"):
            raise ValueError(f"{path}: row {line} is not ARFF: {content[:40]!r}")
    if fields is None:
        raise ValueError(f"{path}: no @data, so not a whole ARFF file")
    if len(names) != columns:
        raise ValueError(f"{path}: {len(names)} attributes, expected {columns}")
    if len(fields) != rows:
        raise ValueError(f"{path}: {len(fields)} rows, expected {rows}")
    try:
        table = np.array(fields, dtype=np.float64)
    except ValueError:
        table = np.full((1, 1), np.nan)
    return names, table if np.isfinite(table).all() else to_numbers(path, fields)
