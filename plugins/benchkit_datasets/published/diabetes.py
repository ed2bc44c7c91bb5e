"""Pima Indians diabetes: eight measurements of 768 women."""

from __future__ import annotations

import numpy as np

from benchkit import Data, require_file
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.rows import map_labels, read_numbers

FILE = "uci/pima-indians-diabetes.data"
NAMES = ("pregnancies", "glucose", "pressure", "skin", "insulin", "bmi", "pedigree", "age")
# Nobody alive has none of these.
NEVER_ZERO = ("glucose", "pressure", "skin", "insulin", "bmi")


def load_diabetes(zeros_missing: bool = False) -> Data:
    """Diabetes within five years; label +1 for yes.

    Parameters
    ----------
    zeros_missing : bool, default=False
        Whether zeros of glucose (5), pressure (35), skin (227), insulin (374) and BMI (11), which stand for values
        that were not measured, become NaN. False leaves them as they are, as the IDA benchmark does.
    """
    check_choice("zeros_missing", zeros_missing, (False, True))
    path = require_file(FILE)
    table = read_numbers(path, columns=9, rows=768)
    X = table[:, :8]
    if zeros_missing:
        columns = [NAMES.index(name) for name in NEVER_ZERO]
        X[:, columns] = np.where(X[:, columns] == 0.0, np.nan, X[:, columns])
    return Data(X=X, y=map_labels(path, table[:, 8], {0.0: -1, 1.0: 1}), feature_names=list(NAMES))
