"""Splits, preprocessing, and mutual-information values against the definition."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import mutual_info_score

from benchkit.plugin.declarations import Data
from benchkit.suite.schema import Split
from benchkit.trial.preparation import feature_values, mutual_information_values, preprocessor
from benchkit.trial.split import RowStructure
from benchkit.trial.split import draw_split as draw

Y = np.array([-1] * 60 + [1] * 40)


def draw_split(split, *arguments, **seed):
    return draw(split, RowStructure(), *arguments, **seed)


def sizes(parts):
    return len(parts.train), len(parts.validation), len(parts.test)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"train": 0.5, "validation": 0.25, "test": 0.25}, (50, 25, 25)),
        ({"train": 0.5}, (50, 0, 50)),
        ({"train": 30, "validation": 20, "test": 10}, (30, 20, 10)),
        ({"train": {"per_class": 10}, "validation": 20, "test": 30}, (20, 20, 30)),
        ({"train": 0.33, "validation": 0.33, "test": 0.34}, (33, 33, 34)),
        ({"method": "none"}, (100, 0, 100)),
    ],
)
def test_sizes_and_disjointness(spec, expected):
    parts = draw_split(Split(**spec), Y, 0, True, seed=1)
    assert sizes(parts) == expected
    if spec.get("method") != "none":
        rows = np.concatenate([parts.train, parts.validation, parts.test])
        assert len(set(rows.tolist())) == len(rows)


def test_classes_keep_their_proportions():
    parts = draw_split(Split(train=0.5, validation=0.25, test=0.25), Y, 0, True, seed=1)
    assert [(Y[rows] == 1).mean() for rows in vars(parts).values()] == pytest.approx([0.4, 0.4, 0.4], abs=0.02)
    assert (Y[draw_split(Split(train={"per_class": 7}), Y, 0, True, 1).train] == 1).sum() == 7


def test_folds_partition_the_rows():
    split = Split(method="k-fold", folds=5, repetitions=2, validation=0.25)
    assert split.total == 10
    tests = [draw_split(split, Y, repetition, True, seed=3) for repetition in range(5)]
    assert sorted(np.concatenate([parts.test for parts in tests]).tolist()) == list(range(100))
    assert sizes(tests[0]) == (60, 20, 20)


def test_the_seed_decides():
    split = Split(train=0.5)
    first, again, other = (draw_split(split, Y, 0, True, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.train, again.train)
    assert set(first.train) != set(other.train)


def test_asking_for_too_many_rows():
    with pytest.raises(ValueError, match="only 40 of 100 are left"):
        draw_split(Split(train=60, test=50), Y, 0, True, 1)


def test_steps_in_order_and_missing_values_pass():
    X = np.array([[0.0, 1.0], [2.0, np.nan], [40.0, 3.0]])
    steps = preprocessor(["log1p", "standardize", {"clip": 1}], is_sparse=False)
    found = steps.fit_transform(X)
    assert np.isnan(found[1, 1])
    assert np.nanmax(np.abs(found)) <= 1
    assert not np.isnan(preprocessor([{"impute": "mean"}], False).fit_transform(X)).any()
    scaled = preprocessor([{"scale": [0, 1]}], False).fit_transform(X)
    assert (np.nanmin(scaled), np.nanmax(scaled)) == (0, 1)
    assert preprocessor([], False) is None


def test_sparse_stays_sparse():
    X = csr_matrix(np.diag([1.0, 20.0, 3.0]))
    found = preprocessor(["standardize", {"clip": 1.5}, "log1p"], is_sparse=True).fit_transform(X)
    assert found.nnz == 3


def by_definition(X, y):
    """max over all midpoints of the mutual information, scaled to sum to n."""
    found = []
    for column in X.T:
        levels = np.unique(column)
        cuts = (levels[1:] + levels[:-1]) / 2
        found.append(max([mutual_info_score(column > cut, y) for cut in cuts], default=0.0))
    found = np.array(found)
    return found * len(found) / found.sum()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_equals_the_definition(classes, make):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(60, 7)).astype(float)
    y = (X[:, 0] > 0) + (rng.random(60) < 0.3) * rng.integers(0, classes, 60)
    np.testing.assert_allclose(mutual_information_values(make(X), y), by_definition(X, y), atol=1e-12)


def test_constant_features_are_worth_nothing():
    X = np.column_stack([np.ones(10), np.arange(10.0)])
    values = mutual_information_values(X, np.repeat([-1, 1], 5))
    np.testing.assert_allclose(values, [0, 2])


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
    with pytest.raises(ValueError, match="all zero"):
        mutual_information_values(np.ones((3, 2)), y)
