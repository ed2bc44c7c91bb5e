"""Sonar, mines against rocks (UCI)."""

from __future__ import annotations

from benchkit import Data, require_file
from benchkit_datasets.parsing.rows import map_labels, read_fields, to_numbers

FILE = "uci/sonar.all-data"


def load_sonar() -> Data:
    """208 sonar returns, energy in 60 frequency bands in [0, 1]; label +1 for a mine, -1 for a rock."""
    path = require_file(FILE)
    fields = read_fields(path, columns=61, rows=208)
    X = to_numbers(path, [row[:60] for row in fields])
    y = map_labels(path, [row[60] for row in fields], {"R": -1, "M": 1})
    return Data(X=X, y=y, feature_names=[f"band-{band}" for band in range(1, 61)])
