"""Land mines: 29 fields of radar features."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.io import loadmat

from benchkit import Data, require_file
from benchkit_datasets.reading import map_labels, read_bytes

FILE = "landmine/LandmineData.mat"
FIELDS = 29
FEATURES = 9


def load_landmine(fields: Literal["all"] | Sequence[int] = "all") -> Data:
    """Radar images of 29 fields, nine features each, joined; label +1 for a mine.

    The file says nothing of views: this is not the set of four views that Dick, Haider & Scheffer 2008 and Williams
    & Carin 2005 used, which is not public.

    Parameters
    ----------
    fields : "all" or sequence of int, default="all"
        Which fields, numbered from 1 to 29 as in the file; rows follow that order.

    Returns
    -------
    Data
        With truth ``field`` of shape (n_samples,), the number of each row's field.
    """
    kept = _check_fields(fields)
    path = require_file(FILE)
    features, labels = _read_cells(path)
    X = np.concatenate([features[field - 1] for field in kept]).astype(np.float64)
    if not np.isfinite(X).all():
        raise ValueError(f"{path}: a feature is not a finite number")
    y = map_labels(path, np.concatenate([labels[field - 1].ravel() for field in kept]).astype(int), {0: -1, 1: 1})
    field = np.repeat(kept, [len(features[field - 1]) for field in kept])
    return Data(X=X, y=y, feature_names=[f"x{j}" for j in range(1, FEATURES + 1)], truth={"field": field})


def _check_fields(fields: Literal["all"] | Sequence[int]) -> list[int]:
    if isinstance(fields, str) and fields == "all":
        return list(range(1, FIELDS + 1))
    if isinstance(fields, str) or not isinstance(fields, Sequence) or not fields:
        raise ValueError(f"fields is {fields!r}, expected 'all' or a list of field numbers from 1 to {FIELDS}")
    known = set(range(1, FIELDS + 1))
    if any(isinstance(field, bool) or field not in known for field in fields) or len(set(fields)) != len(fields):
        raise ValueError(f"fields is {fields!r}, expected different field numbers from 1 to {FIELDS}")
    return sorted(fields)


def _read_cells(path: Path) -> tuple[list[np.ndarray], list[np.ndarray]]:
    content = read_bytes(path)
    try:
        variables = loadmat(BytesIO(content), variable_names=["feature", "label"])
        features, labels = list(variables["feature"].ravel()), list(variables["label"].ravel())
    # SciPy lets through whatever kind of error a damaged byte leads to.
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"{path}: not a MATLAB 5 file with 'feature' and 'label' ({reason})") from None
    if len(features) != FIELDS or len(labels) != FIELDS:
        raise ValueError(f"{path}: {len(features)} fields with {len(labels)} fields of labels, expected {FIELDS}")
    for number, (rows, marks) in enumerate(zip(features, labels, strict=True), start=1):
        if rows.ndim != 2 or rows.shape[1] != FEATURES or marks.shape != (len(rows), 1):
            shapes = f"features of shape {rows.shape} and labels of shape {marks.shape}"
            raise ValueError(f"{path}: field {number} has {shapes}, expected (n, {FEATURES}) and (n, 1)")
    return features, labels
