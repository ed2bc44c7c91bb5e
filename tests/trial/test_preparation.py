"""What is done to columns: steps, and mutual-information values against the definition; those that plugins add."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import mutual_info_score

from benchkit import NotApplicableError, PreprocessingStep
from benchkit.plugin.declarations import Data
from benchkit.trial.preparation import feature_values, preprocessor


def test_steps_in_order_and_missing_values_pass():
    X = np.array([[0.0, 1.0], [2.0, np.nan], [40.0, 3.0]])
    made = preprocessor(["log1p", "standardize", {"clip": 1}], is_sparse=False).fit_transform(X)
    assert np.isnan(made[1, 1])
    assert np.nanmax(np.abs(made)) <= 1
    assert not np.isnan(preprocessor([{"impute": "mean"}], False).fit_transform(X)).any()
    scaled = preprocessor([{"scale": [0, 1]}], False).fit_transform(X)
    assert (np.nanmin(scaled), np.nanmax(scaled)) == (0, 1)
    assert preprocessor([], False) is None


def test_sparse_stays_sparse_and_a_step_that_does_not_take_it_is_skipped_there():
    X = csr_matrix(np.diag([1.0, 20.0, 3.0]))
    assert preprocessor(["standardize", {"clip": 1.5}, "log1p"], is_sparse=True).fit_transform(X).nnz == 3
    step = {"mine": PreprocessingStep(name="mine", make=lambda: None)}
    with pytest.raises(NotApplicableError, match="mine does not support sparse data"):
        preprocessor(["mine"], True, declared=step)


def by_definition(X, y):
    """max over all midpoints of the mutual information, scaled to sum to n."""
    best = []
    for column in X.T:
        cuts = np.unique(column)[:-1]  # what lies above each level lies above the midpoint behind it
        best.append(max([mutual_info_score(column > cut, y) for cut in cuts], default=0.0))
    return np.array(best) * len(best) / sum(best)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_equals_the_definition(classes, make):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(60, 7)).astype(float)
    y = (X[:, 0] > 0) + (rng.random(60) < 0.3) * rng.integers(0, classes, 60)
    X[:, 6] = 1  # what is constant is worth nothing
    data = Data(X=make(X), y=y)
    np.testing.assert_allclose(feature_values("mutual-information", data.X, y, data), by_definition(X, y), atol=1e-12)


def test_kinds():
    X, y = np.eye(3), np.array([0, 1, 1])
    data = Data(X=X, y=y, feature_values=np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(feature_values("uniform", X, y, data), [1, 1, 1])
    np.testing.assert_array_equal(feature_values("given", X, y, data), [1, 2, 3])
    np.testing.assert_array_equal(feature_values([4.0, 5.0, 6.0], X, y, data), [4, 5, 6])
    with pytest.raises(ValueError, match="declares none"):
        feature_values("given", X, y, Data(X=X, y=y))
    with pytest.raises(ValueError, match="2 feature values given for 3"):
        feature_values([1.0, 2.0], X, y, data)
    with pytest.raises(ValueError, match="finite numbers that are not negative"):
        feature_values("given", X, y, Data(X=X, y=y, feature_values=-np.ones(3)))
    with pytest.raises(ValueError, match="all zero"):
        feature_values("mutual-information", np.ones((3, 2)), y, data)


PLUGIN = """
import numpy as np
from benchkit import PreprocessingStep, SplitMethod, hookimpl

def every_third(context):
    rows = np.random.default_rng(context.random_state).permutation(len(context.y))
    return rows[::3], rows[1::3], rows[2::3]

@hookimpl
def benchkit_splits():
    return [SplitMethod(name="every-third", make=lambda: every_third)]

@hookimpl
def benchkit_preprocessing_steps():
    return [PreprocessingStep(name="widens", make="sklearn.preprocessing:PolynomialFeatures")]
"""


@pytest.mark.parametrize(("changes", "reason"), [({}, None), ({"preprocess": ["widens"]}, "steps keep them")])
def test_plugins_prepare_the_data_or_fail_with_a_reason(tiny, run_trials, write_plugin, changes, reason):
    tiny |= {"algorithms": ["logistic-regression"], "split": {"method": "every-third", "repetitions": 2}, **changes}
    tiny["adversaries"] = [{"name": "greedy-delete", "budgets": ["50%"]}]
    first, second = run_trials(tiny, [write_plugin(PLUGIN)])
    if reason is None:
        assert first["budget"] == 5
        assert first["metrics"] != second["metrics"]
    assert reason is None or (first["status"] == "failed" and reason in first["error"])
