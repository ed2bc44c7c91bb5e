"""Ionosphere (UCI): radar returns."""

from __future__ import annotations

from benchkit import Data, require_file
from benchkit_datasets.parsing.rows import map_labels, read_fields, to_numbers

FILE = "uci/ionosphere.data"


def load_ionosphere() -> Data:
    """351 radar returns, real and imaginary parts of 17 pulses in [-1, 1]; label +1 for a good one, -1 for a bad one.

    The second feature is 0 in every row.
    """
    path = require_file(FILE)
    fields = read_fields(path, columns=35, rows=351)
    X = to_numbers(path, [row[:34] for row in fields])
    names = [f"pulse-{pulse}-{part}" for pulse in range(1, 18) for part in ("real", "imaginary")]
    return Data(X=X, y=map_labels(path, [row[34] for row in fields], {"b": -1, "g": 1}), feature_names=names)
