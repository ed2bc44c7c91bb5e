"""Spambase (UCI)."""

from __future__ import annotations

from benchkit import Data, require_file
from benchkit_datasets.parsing.rows import map_labels, read_numbers

FILE = "spambase/spambase.data"


def load_spambase() -> Data:
    """4601 e-mails; 48 word and 6 character frequencies in percent, 3 lengths of capital runs; label +1 for spam."""
    path = require_file(FILE)
    table = read_numbers(path, columns=58, rows=4601)
    names = [*(f"word-{j}" for j in range(1, 49)), *(f"char-{j}" for j in range(1, 7))]
    names += ["capital-average", "capital-longest", "capital-total"]
    return Data(X=table[:, :57], y=map_labels(path, table[:, 57], {0.0: -1, 1.0: 1}), feature_names=names)
