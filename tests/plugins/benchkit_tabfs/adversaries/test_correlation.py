"""Correlations of features with the target, beside scipy and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr
from sklearn.linear_model import LinearRegression

from benchkit import Features
from benchkit_tabfs.adversaries.correlation import absolute_correlations


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), shift=st.sampled_from([0.0, 1.0, -3.0]))
def test_it_is_pearsons_of_columns_and_the_multiple_one_of_groups(seed, shift):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 6)) + shift
    X[:, 2] = X[:, 1] - X[:, 0]  # of rank two
    X[:, 5] = 4.0
    y = X @ rng.normal(size=6) + rng.normal(size=30)
    found = absolute_correlations(X, y, Features(6, [[0, 1, 2]]))
    fit = LinearRegression().fit(X[:, :2], y)
    assert found[0] == pytest.approx(np.sqrt(fit.score(X[:, :2], y)), abs=1e-9)
    for feature, column in ((1, 3), (2, 4)):
        assert found[feature] == pytest.approx(abs(pearsonr(X[:, column], y).statistic), abs=1e-12)
    assert found[3] == 0


def test_classes_are_numbered_and_gaps_left_out():
    X = np.array([[0.0], [1.0], [np.nan], [4.0], [3.0]])
    y = np.array(["a", "b", "b", "c", "c"])
    found = absolute_correlations(X, y, Features(1))
    assert found[0] == pytest.approx(pearsonr([0, 1, 4, 3], [0, 1, 2, 2]).statistic, abs=1e-12)
    assert absolute_correlations(X, np.zeros(5), Features(1))[0] == 0
