"""Texts that repeat are kept as small numbers, and come back as they were."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchkit import Categories


@given(st.lists(st.none() | st.text(max_size=3), max_size=40))
def test_texts_come_back(texts):
    column = Categories.of(texts)
    assert column.values.tolist() == texts
    assert list(column.names) == sorted(set(texts) - {None})
    assert column.take(np.arange(len(texts))[::-1]).values.tolist() == texts[::-1]


def test_a_row_takes_a_byte_or_two():
    assert Categories.of(["a", "b", float("nan")]).codes.dtype == np.int8
    assert Categories.of([str(number) for number in range(1000)]).codes.dtype == np.int16
