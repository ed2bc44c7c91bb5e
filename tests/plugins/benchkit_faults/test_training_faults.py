"""Wrong labels and outliers: how many, which, and that a larger fraction extends a smaller one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchkit import NotApplicableError
from benchkit_faults.training import LabelNoise, Outliers

THREE = np.array(["low", "middle", "high"])[np.arange(40) % 3]


@pytest.mark.parametrize("kind", ["uniform", "class", "boundary"])
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_a_larger_fraction_extends_a_smaller_one(scene, kind, seed):
    before = np.zeros(40, dtype=bool)
    labels = THREE
    for budget in (0.0, 0.1, 0.3, 0.7):
        attack = scene(budget, seed=seed, y=THREE)
        result = LabelNoise(kind=kind).corrupt(attack)
        wrong = result.y != THREE
        np.testing.assert_array_equal(wrong, ~result.truth["clean_rows"])
        assert wrong.sum() == (min(round(budget * 40), 12) if kind == "class" else round(budget * 40))
        assert wrong[before].all()
        np.testing.assert_array_equal(result.y[before], labels[before])
        assert set(result.y) <= set(THREE)
        np.testing.assert_array_equal(result.X, attack.X)
        before, labels = wrong, result.y


def test_one_class_alone_is_mistaken_and_does_not_vanish(scene):
    result = LabelNoise(kind="class", label="low").corrupt(scene(1.0, y=THREE))
    assert (THREE[result.y != THREE] == "low").all()
    assert (result.y == "low").sum() == 1
    assert set(result.y[result.y != THREE]) == {"middle"}
    with pytest.raises(ValueError, match="no class is 'medium'; the classes are high, low, middle"):
        LabelNoise(kind="class", label="medium").corrupt(scene(0.1, y=THREE))


def test_of_two_classes_the_last_is_mistaken_for_the_first(scene):
    y = np.where(np.arange(40) < 20, -1, 1)
    result = LabelNoise(kind="class").corrupt(scene(0.25, y=y))
    assert (result.y[result.y != y] == -1).all()


def test_the_hardest_rows_are_mistaken_first(scene):
    attack = scene(0.25)
    y = attack.y
    model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=1000)).fit(attack.X, y)
    own = model.predict_proba(attack.X)[np.arange(40), y]
    wrong = LabelNoise(kind="boundary").corrupt(attack).y != y
    assert own[wrong].max() <= own[~wrong].min()


def test_labels_are_drawn_from_all_other_classes(scene):
    y = np.zeros(3000, dtype=int)
    y[:2] = 1, 2
    result = LabelNoise().corrupt(scene(1.0, n=3000, y=y))
    assert (result.y != y).all()
    assert np.mean(result.y == 1) == pytest.approx(0.5, abs=0.04)


def test_there_is_no_other_class(scene):
    with pytest.raises(NotApplicableError, match="another class"):
        LabelNoise().corrupt(scene(0.1, y=np.zeros(40, dtype=int)))


@pytest.mark.parametrize("direction", ["random", "one"])
def test_outliers_are_so_many_deviations_away(scene, direction):
    attack = scene(0.25, standardised=False)
    result = Outliers(size=7, direction=direction).corrupt(attack)
    far = ~result.truth["clean_rows"]
    assert far.sum() == 10
    np.testing.assert_array_equal(result.X[~far], attack.X[~far])
    numbers = [0, 4, 5, 6, 7]
    moved = ((result.X - attack.X) / np.nanstd(attack.X, axis=0))[far]
    np.testing.assert_allclose(np.abs(moved[:, numbers])[~np.isnan(moved[:, numbers])], 7)
    assert (moved[:, [1, 2, 3]] == 0).all()
    signs = np.sign(moved[:, 7])
    assert (len(set(signs)) == 1) == (direction == "one")
    np.testing.assert_array_equal(np.isnan(result.X), np.isnan(attack.X))
    np.testing.assert_array_equal(result.y, attack.y)


def test_more_outliers_are_the_same_and_others(scene):
    few, many = (Outliers().corrupt(scene(budget, standardised=False)) for budget in (0.1, 0.5))
    far = ~few.truth["clean_rows"]
    np.testing.assert_array_equal(few.X[far], many.X[far])
