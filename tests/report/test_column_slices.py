"""Every row is in one slice of a column, whatever the column is made of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit import Categories
from benchkit.report.slices import MOST_CATEGORIES, column_slices


@given(
    st.one_of(
        st.lists(st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6)), min_size=1, max_size=60).map(np.array),
        st.lists(st.integers(0, 9), min_size=1, max_size=60).map(np.array),
        st.lists(st.sampled_from(["a", "b", None, *"cdefghijklmnopq"]), min_size=1, max_size=60).map(Categories.of),
    )
)
def test_each_row_is_in_one(column):
    n = len(column.codes if isinstance(column, Categories) else column)
    slices = column_slices(column)
    assert (sum(each.rows.astype(int) for each in slices) == 1).all()
    assert all(len(each.rows) == n for each in slices)
    assert len({each.name for each in slices}) == len(slices) <= MOST_CATEGORIES + 2


def test_numbers_are_quarters():
    slices = column_slices(np.arange(100.0))
    assert [each.name for each in slices] == ["at most 25", "25 to 50", "50 to 74", "above 74"]
    assert [int(each.rows.sum()) for each in slices] == [26, 25, 24, 25]


def test_rare_categories_are_one_slice():
    texts = [name for place, name in enumerate("abcdefghijklmnop") for _ in range(20 - place)]
    slices = column_slices(Categories.of(texts))
    assert [each.name for each in slices] == [*"abcdefghijkl", "(4 others)"]
    assert slices[-1].rows.sum() == sum(range(5, 9))


@pytest.mark.parametrize("make", [np.array, lambda days: Categories.of(days.astype(str).tolist())])
def test_moments_are_quarters(make):
    days = np.datetime64("2024-01-01") + np.arange(40)
    slices = column_slices(make(days.astype("datetime64[s]") if make is np.array else days))
    assert slices[0].name == "at most 2024-01-11"
    assert len(slices) == 4
