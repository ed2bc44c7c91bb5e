"""Which columns are absent, and how much these correlate, beside scipy's rank correlations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, mannwhitneyu, somersd

from benchkit import MetricContext, NotApplicableError
from benchkit_tabfs.metrics import absent_correlation, follows_correlations


def table(seed, n_columns=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, n_columns))
    y = X @ np.linspace(0, 2, n_columns) + rng.normal(size=40)
    return X, y, np.abs([np.corrcoef(column, y)[0, 1] for column in X.T])


def evaluation(X, y, truth, groups=()):
    return MetricContext(
        model=None, X=X[:5], y=y[:5], predictions=y[:5], truth=truth, X_train=X, y_train=y, groups=groups
    )


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), n_taken=st.integers(1, 5))
def test_columns_that_all_rows_lack_are_ranked_as_mann_and_whitney_do(seed, n_taken):
    X, y, correlations = table(seed)
    taken = np.random.default_rng(seed).permutation(6)[:n_taken]
    kept = np.setdiff1d(np.arange(6), taken)
    area = mannwhitneyu(correlations[taken], correlations[kept]).statistic / (n_taken * (6 - n_taken))
    for name in ("shifted_features", "dead_features"):
        told = evaluation(X, y, {name: taken})
        assert follows_correlations(told) == pytest.approx(2 * area - 1)
        assert absent_correlation(told) == pytest.approx(correlations[taken].sum())


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_columns_that_some_rows_lack_are_ranked_as_somers_does(seed):
    X, y, correlations = table(seed)
    taken = np.random.default_rng(seed).random((5, 6)) < np.array([0.1, 0.9, 0.5, 0.5, 0.2, 0.7])
    share = taken.mean(axis=0)
    if np.ptp(share) == 0:
        return
    told = evaluation(X, y, {"taken": taken})
    assert follows_correlations(told) == pytest.approx(somersd(share, correlations).statistic)
    assert absent_correlation(told) == pytest.approx(share @ correlations)
    if len(set(share)) == 6:
        assert follows_correlations(told) == pytest.approx(kendalltau(share, correlations).statistic)


def test_a_group_of_columns_is_one():
    X, y, _ = table(5)
    told = evaluation(X, y, {"shifted_features": np.array([0])}, groups=[[0, 1, 2]])
    fitted = np.column_stack([X[:, :3], np.ones(40)])
    residual = y - fitted @ np.linalg.lstsq(fitted, y, rcond=None)[0]
    assert absent_correlation(told) == pytest.approx(np.sqrt(1 - residual.var() / y.var()))


def test_what_cannot_be_ranked_says_why():
    X, y, _ = table(1)
    for columns in ([], range(6)):
        with pytest.raises(NotApplicableError, match="absent equally often"):
            follows_correlations(evaluation(X, y, {"shifted_features": np.array(columns, dtype=int)}))
    with pytest.raises(NotApplicableError, match="does not say which columns it takes"):
        absent_correlation(evaluation(X, y, {"queries": 3}))
    untrained = MetricContext(model=None, X=X, y=y, predictions=y, truth={"shifted_features": np.array([0])})
    with pytest.raises(NotApplicableError, match="need the training part"):
        absent_correlation(untrained)
