"""German credit (Statlog, UCI): 13 categories and 7 numbers of 1000 applicants."""

from __future__ import annotations

from typing import Literal

import numpy as np

from benchkit import Data, require_file
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.one_hot import find_codes, join_blocks, make_block
from benchkit_datasets.parsing.rows import map_labels, read_fields, to_numbers

FILE = "uci/german.data"
NAMES = (
    "checking-account",
    "duration",
    "credit-history",
    "purpose",
    "amount",
    "savings",
    "employment",
    "installment-rate",
    "status-and-sex",
    "other-debtors",
    "residence-since",
    "property",
    "age",
    "other-installments",
    "housing",
    "existing-credits",
    "job",
    "dependants",
    "telephone",
    "foreign-worker",
)
# Codes that occur, by attribute (from 1): attribute 4 also has "A47", and attribute 9 "A95", in the description only.
CATEGORIES = {
    1: ("A11", "A12", "A13", "A14"),
    3: ("A30", "A31", "A32", "A33", "A34"),
    4: ("A40", "A41", "A42", "A43", "A44", "A45", "A46", "A48", "A49", "A410"),
    6: ("A61", "A62", "A63", "A64", "A65"),
    7: ("A71", "A72", "A73", "A74", "A75"),
    9: ("A91", "A92", "A93", "A94"),
    10: ("A101", "A102", "A103"),
    12: ("A121", "A122", "A123", "A124"),
    14: ("A141", "A142", "A143"),
    15: ("A151", "A152", "A153"),
    17: ("A171", "A172", "A173", "A174"),
    19: ("A191", "A192"),
    20: ("A201", "A202"),
}


def load_german(encoding: Literal["ordinal", "one-hot"] = "ordinal") -> Data:
    """Credit risk; label +1 for a bad risk.

    Parameters
    ----------
    encoding : {"ordinal", "one-hot"}, default="ordinal"
        Twenty columns, a category being the number in its code ("A34" is 34, "A410" is 410), which is what the IDA
        benchmark's file has up to scale: its twelve purposes "A410" (others) lie far from all the rest. Or one column
        a category (61 in all), the columns of an attribute being one group.
    """
    check_choice("encoding", encoding, ("ordinal", "one-hot"))
    path = require_file(FILE)
    columns = list(zip(*read_fields(path, columns=21, rows=1000, separator=None), strict=True))
    y = map_labels(path, columns[20], {"1": -1, "2": 1})
    blocks, names = [], []
    for number, (name, values) in enumerate(zip(NAMES, columns[:20], strict=True), start=1):
        categories = CATEGORIES.get(number)
        if categories is None:
            blocks.append(to_numbers(path, [[value] for value in values], column=number))
            names.append(name)
            continue
        codes = find_codes(path, name, values, categories)
        if encoding == "ordinal":
            blocks.append(np.array([[float(value[1:])] for value in values]))
            names.append(name)
        else:
            blocks.append(make_block(codes, len(categories)))
            names += [f"{name}={category}" for category in categories]
    X, groups = join_blocks(blocks)
    return Data(X=X, y=y, feature_names=names, groups=groups if encoding == "one-hot" else ())
