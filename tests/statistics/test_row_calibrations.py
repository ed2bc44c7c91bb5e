"""A small version of `bench-calibration-rows`: intervals from rows, on pools whose truth is known, and its methods."""

import math
from pathlib import Path

import numpy as np
import pytest

from benchkit.plugin.manager import load_file

SUITES = Path(__file__).parents[2] / "suites"
POOLS = 60


@pytest.fixture(scope="module")
def calibrations():
    # By the name that runs give it: what numba keeps beside the file is loaded under that name alone.
    return load_file(SUITES / "row_calibrations.py")


def at_most(share):
    """A share of pools that is seen in one of a thousand such tests where the true one is as given."""
    return share + 3.1 * math.sqrt(share * (1 - share) / POOLS)


@pytest.mark.parametrize("case", ["neighbours-equal", "squared-equal", "ties-equal"])
def test_equally_good_methods_seldom_get_a_star_and_intervals_have_a_width(calibrations, case):
    for splits in (3, 10, 50):
        shares = calibrations.calibrate(case, 100, splits, POOLS, 7)
        assert shares["truth"] == 0
        assert shares["missed-rows"] == shares["stars-rows"] <= at_most(0.06)
        assert 0 < shares["width"] < 1.3


@pytest.fixture
def rows(calibrations):
    rng = np.random.default_rng(0)
    return *calibrations.classes(rng, 80), calibrations.classes(rng, 50)[0], rng


def test_methods_are_what_they_are_called(calibrations, rows):
    from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
    from sklearn.neighbors import KNeighborsClassifier

    X, y, Z, rng = rows
    assert calibrations.ridge(X, y, Z, rng) == pytest.approx(Ridge(1.0).fit(X, y).predict(Z))
    tuned = RidgeCV((0.1, 1.0, 10.0, 100.0, 1000.0)).fit(X, y)
    assert calibrations.tuned_ridge(X, y, Z, rng) == pytest.approx(tuned.predict(Z))
    assert calibrations.nearest(X, y, Z, rng) == pytest.approx(KNeighborsClassifier(1).fit(X, y).predict(Z))
    # scikit-learn leaves the intercept without a penalty; a column of ones has one there and here.
    ones = [np.column_stack([each, np.ones(len(each))]) for each in (X, Z)]
    logistic = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10).fit(ones[0], y)
    assert calibrations.logistic(X, y, Z, rng) == pytest.approx(logistic.predict_proba(ones[1])[:, 1], abs=1e-5)


def test_trees_are_those_of_scikit_learn(calibrations, rows, monkeypatch):
    from sklearn.tree import DecisionTreeClassifier

    X, y, Z, rng = rows
    monkeypatch.setattr(calibrations, "grown", calibrations.grown.py_func)  # to compile takes longer than to run
    expected = DecisionTreeClassifier(min_samples_leaf=15, random_state=0).fit(X, y).predict_proba(Z)[:, 1]
    assert calibrations.leaves(X, y, Z, rng) == pytest.approx(expected)
    assert calibrations.tree(X, y, X, rng) == pytest.approx(y)
    assert calibrations.random_tree(X, y, X, rng) == pytest.approx(y)


def test_groups_are_judged_as_groups_and_stay_on_one_side(calibrations):
    alone, of_ten = (calibrations.calibrate(name, 100, 3, 5, 7) for name in ("linear-equal", "groups-linear-equal"))
    assert 0 <= of_ten["missed-rows"] <= 1
    assert of_ten["width"] > alone["width"]
    for train, test in calibrations.splits_of(
        calibrations.CASES["groups-linear-equal"], 300, np.random.default_rng(0), 20
    ):
        assert not set(train // 10) & set(test // 10)
        assert len(train) == 150
