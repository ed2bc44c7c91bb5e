"""Breast cancer, Ljubljana (UCI): nine attributes of patients, all categories."""

from __future__ import annotations

from typing import Literal

import numpy as np

from benchkit import Data, require_file
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.one_hot import find_codes, join_blocks, make_block
from benchkit_datasets.parsing.rows import map_labels, read_fields

FILE = "uci/breast-cancer.data"
ROWS = 286
LABELS = {"no-recurrence-events": -1, "recurrence-events": 1}
# In the order of the authors' description; that of the bands is their natural one.
ATTRIBUTES = {
    "age": ("10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80-89", "90-99"),
    "menopause": ("lt40", "ge40", "premeno"),
    "tumor-size": tuple(f"{low}-{low + 4}" for low in range(0, 60, 5)),
    "inv-nodes": (*(f"{low}-{low + 2}" for low in range(0, 33, 3)), "33-35", "36-39"),
    "node-caps": ("no", "yes"),
    "deg-malig": ("1", "2", "3"),
    "breast": ("left", "right"),
    "breast-quad": ("left_up", "left_low", "right_up", "right_low", "central"),
    "irradiat": ("no", "yes"),
}


def load_breast_cancer(
    missing: Literal["drop", "keep"] = "drop", encoding: Literal["ordinal", "one-hot"] = "ordinal"
) -> Data:
    """Recurrence of breast cancer; label +1 for a recurrence.

    Parameters
    ----------
    missing : {"drop", "keep"}, default="drop"
        Drop the nine rows with a missing value, which leaves the 277 of Dick, Haider & Scheffer 2008 and of the IDA
        benchmark; or keep all 286, with NaN.
    encoding : {"ordinal", "one-hot"}, default="ordinal"
        Nine columns of positions 0, 1, ... in the order of the authors' description (bands by size); or one column for
        each category that a row of the file has, the columns of an attribute being one group.
    """
    check_choice("missing", missing, ("drop", "keep"))
    check_choice("encoding", encoding, ("ordinal", "one-hot"))
    path = require_file(FILE)
    columns = list(zip(*read_fields(path, columns=10, rows=ROWS), strict=True))
    y = map_labels(path, columns[0], LABELS)
    codes = {
        name: find_codes(path, name, values, ATTRIBUTES[name], missing="?")
        for name, values in zip(ATTRIBUTES, columns[1:], strict=True)
    }
    complete = ~np.isnan(np.column_stack(list(codes.values()))).any(axis=1)
    rows = complete if missing == "drop" else np.ones(ROWS, dtype=bool)
    if encoding == "ordinal":
        X = np.column_stack(list(codes.values()))
        return Data(X=X[rows], y=y[rows], feature_names=list(ATTRIBUTES))
    blocks, names = [], []
    for name, values in codes.items():
        block = make_block(values, len(ATTRIBUTES[name]))
        # Bands such as an age of 10-19 occur in the description but in no row.
        present = np.nan_to_num(block).any(axis=0)
        blocks.append(block[:, present])
        names += [f"{name}={category}" for category, kept in zip(ATTRIBUTES[name], present, strict=True) if kept]
    X, groups = join_blocks(blocks)
    return Data(X=X[rows], y=y[rows], feature_names=names, groups=groups)
