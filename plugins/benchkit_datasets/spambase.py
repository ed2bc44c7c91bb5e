"""Spambase (UCI)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchkit import Data
from benchkit_datasets.files import present, require

FILE = "spambase/spambase.data"
SHAPE = (4601, 58)


def files() -> list[Path]:
    """The file, if it is here."""
    return present(FILE)


def load_spambase() -> Data:
    """4601 e-mails; 48 word and 6 character frequencies in percent, 3 lengths of capital runs; label +1 for spam."""
    path = require(FILE)
    try:
        table = np.loadtxt(path, delimiter=",", ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path}: not the Spambase file: {error}") from None
    if table.shape != SHAPE:
        raise ValueError(f"{path}: {table.shape[0]} x {table.shape[1]} numbers where Spambase has 4601 x 58")
    names = [*(f"word-{j}" for j in range(1, 49)), *(f"char-{j}" for j in range(1, 7))]
    names += ["capital-average", "capital-longest", "capital-total"]
    return Data(X=table[:, :57], y=np.where(table[:, 57] == 1, 1, -1), feature_names=names)
