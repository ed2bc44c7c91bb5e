"""Numbers that estimators, adversaries and datasets are given."""

import math

import numpy as np
import pytest

from benchkit import check_count, check_not_negative, check_positive


@pytest.mark.parametrize("value", [0, -1, 1.5, 2.0, True, np.True_, None, "3", math.inf, math.nan])
def test_what_is_no_count(value):
    with pytest.raises(ValueError, match=r"^n is .*, expected a whole number of at least 1$"):
        check_count(n=value)


def test_counts_within_limits():
    check_count(n=np.int64(1), m=7)
    check_count(0, n=0)
    check_count(most=7, n=7)
    with pytest.raises(ValueError, match="^n is 8, there are only 7$"):
        check_count(most=7, n=8)


@pytest.mark.parametrize("value", [-1, True, None, "1", 1j, math.inf, math.nan, [1.0]])
def test_what_is_no_number(value):
    with pytest.raises(ValueError, match="^C is .*, expected a positive number$"):
        check_positive(tol=1e-9, C=value)
    with pytest.raises(ValueError, match="^C is .*, expected a number of at least 0$"):
        check_not_negative(tol=0, C=value)


def test_zero_is_not_positive():
    check_not_negative(C=0.0)
    with pytest.raises(ValueError, match="^C is 0.0, expected a positive number$"):
        check_positive(C=0.0)
