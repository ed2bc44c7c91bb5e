"""Slices of a fixed model's rows: tested as independent groups are, and corrected over all of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

from benchkit_audit.columns import make_column
from benchkit_audit.estimates import compare_slices


def test_the_tests_are_welchs_corrected_over_all_slices():
    random = np.random.default_rng(0)
    places = random.integers(0, 4, 300)
    values = random.normal(size=300) + 0.4 * (places == 2)
    column = make_column("place", pd.Series(np.array(["a", "b", "c", None], dtype=object)[places]))
    slices = compare_slices([column], np.arange(300), values, (-np.inf, np.inf))
    names = ["place = a", "place = b", "place = c", "place = (missing)"]
    assert sorted(each.what for each in slices) == sorted(names)
    inside = {name: places == place for place, name in enumerate(names)}
    raw = {name: ttest_ind(values[here], values[~here], equal_var=False).pvalue for name, here in inside.items()}
    order = sorted(raw.values())
    adjusted = {p: min(1.0, max((4 - j) * order[j] for j in range(k + 1))) for k, p in enumerate(order)}
    for each in slices:
        assert each.p == pytest.approx(adjusted[raw[each.what]])
        assert each.others == pytest.approx(values[~inside[each.what]].mean())


def test_few_rows_are_no_slice():
    values = np.zeros(100)
    column = make_column("rare", pd.Series(["yes"] * 20 + ["no"] * 80))
    assert compare_slices([column], np.arange(100), values, (0.0, 1.0)) == []
