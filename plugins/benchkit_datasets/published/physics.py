"""Quantum physics of the KDD Cup 2004: a user's own copy of phy_train.dat."""

from __future__ import annotations

import numpy as np

from benchkit import Data, require_file
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.rows import map_labels, read_numbers
from benchkit_datasets.problems.subsets import draw_rows

FILE = "physics/phy_train.dat"
# "Not available", by feature (from 1), as the organisers document it.
MISSING_CODES = {999.0: (20, 21, 22, 44, 45, 46), 9999.0: (29, 55)}


def load_physics(
    missing_codes: bool = False,
    n: int | None = None,
    subset_seed: int = 0,
    expected_rows: int | None = 50000,
) -> Data:
    """Two types of particles in a collider; 78 features without names; labels -1 and +1 for the file's 0 and 1.

    Parameters
    ----------
    missing_codes : bool, default=False
        Whether the codes 999 (features 20-22, 44-46) and 9999 (features 29, 55) for "not available" become NaN.
    n : int, optional
        Number of rows to draw; all where absent. Dick, Haider & Scheffer 2008 use 6179 (1000 + 5179).
    subset_seed : int, default=0
        Seed of that draw, the same in every repetition.
    expected_rows : int or None, default=50000
        Rows that the file must have; None for an excerpt of any length.
    """
    check_choice("missing_codes", missing_codes, (False, True))
    path = require_file(FILE)
    # Tabs in the original; any blanks are taken, since copies differ there and no field is empty.
    table = read_numbers(path, columns=80, rows=expected_rows, separator=None)
    y = map_labels(path, table[:, 1], {0.0: -1, 1.0: 1})
    X = table[:, 2:]
    if missing_codes:
        for code, features in MISSING_CODES.items():
            columns = np.array(features) - 1
            X[:, columns] = np.where(X[:, columns] == code, np.nan, X[:, columns])
    rows = draw_rows(len(X), n, subset_seed)
    return Data(X=X[rows], y=y[rows], feature_names=[f"x{j}" for j in range(1, 79)])
