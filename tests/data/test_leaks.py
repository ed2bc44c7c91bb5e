"""Which columns repeat like the names of patients."""

import numpy as np
import pandas as pd
import pytest

from benchkit.data.leaks import repeated_id

N = 200


@pytest.mark.parametrize(
    ("name", "values", "groups"),
    [
        ("school", [f"s{row % 6}" for row in range(N)], 6),
        ("patient", [f"P{row % 25}" for row in range(N)], 25),
        ("code", [f"P{row % 25}" for row in range(N)], 25),  # many texts, whatever they are called
        ("colour", [f"c{row % 4}" for row in range(N)], None),
        ("patient", [f"P{row}" for row in range(N)], None),  # of each one row
        ("subject", [f"s{row % 6}" for row in range(N)], 6),
        ("visit", [f"{1 + row % 25}.03.2026" for row in range(N)], None),  # rows of a day are not of one patient
        ("id", [f"P{row if row < 140 else row % 40}" for row in range(N)], 140),  # most came once
        ("id", [f"P{max(row, 30)}" for row in range(N)], None),  # fewer than a fifth of the rows share theirs
        ("code", [f"P{row if row < 140 else row % 40}" for row in range(N)], None),
        ("subject", [None] + ["s1", "s2"] * 99 + ["s3"], None),
    ],
)
def test_texts(name, values, groups):
    found = repeated_id(pd.DataFrame({name: values, "y": 0}), "y")
    assert found == (groups and name)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("user_id UserID id patient individual school_id group", True),
        ("age width school family family_size students customer_age id_of", False),
    ],
)
def test_numbers_need_a_name_that_says_so(names, found):
    for name in names.split():
        frame = pd.DataFrame({name: np.arange(N) // 8.0, "y": 0})
        assert (repeated_id(frame, "y") is not None) is found, name
