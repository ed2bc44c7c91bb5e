"""MAGIC gamma telescope (UCI): images of air showers."""

from __future__ import annotations

from benchkit import Data, require_file
from benchkit_datasets.parsing.rows import map_labels, read_fields, to_numbers

FILE = "uci/magic04.data.gz"
NAMES = ("length", "width", "size", "conc", "conc1", "asym", "m3-long", "m3-trans", "alpha", "dist")


def load_magic() -> Data:
    """19020 simulated air showers, ten features of their image; label +1 for a gamma ray, -1 for a hadron."""
    path = require_file(FILE)
    fields = read_fields(path, columns=11, rows=19020)
    X = to_numbers(path, [row[:10] for row in fields])
    return Data(X=X, y=map_labels(path, [row[10] for row in fields], {"h": -1, "g": 1}), feature_names=list(NAMES))
