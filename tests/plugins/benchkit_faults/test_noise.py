"""Noise in standard deviations: its size, what it leaves alone, and that the unit agrees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchkit import NotApplicableError
from benchkit_faults.columns import GaussianNoise


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), budget=st.floats(0.01, 5))
def test_its_root_mean_square_is_the_budget(scene, seed, budget):
    attack = scene(budget, seed=seed)
    moved = (GaussianNoise().corrupt(attack).X - attack.X) / attack.deviations
    np.testing.assert_allclose(np.sqrt(np.nanmean(moved[:, [0, 4, 5, 6, 7]] ** 2, axis=0)), budget)
    assert (moved[:, [1, 2, 3]] == 0).all()
    once = (GaussianNoise().corrupt(scene(1.0, seed=seed)).X - attack.X) / attack.deviations
    np.testing.assert_allclose(moved, budget * once, atol=1e-12)


def test_it_is_normal_and_columns_are_independent(scene):
    attack = scene(1.0, n=4000, gaps=False)
    moved = (GaussianNoise().corrupt(attack).X - attack.X)[:, [0, 4, 5, 6, 7]]
    assert stats.kstest(moved[:, 0], "norm").pvalue > 0.01
    assert np.abs(np.corrcoef(moved.T) - np.eye(5)).max() < 0.06


def test_units_of_measurement_do_not_matter(scene):
    scaled, plain = scene(0.5), scene(0.5, standardised=False)
    seen = scaled.seen(GaussianNoise().corrupt(plain).X)
    np.testing.assert_allclose(GaussianNoise().corrupt(scaled).X, seen)


def test_named_features_alone(scene):
    attack = scene(1.0)
    moved = np.nan_to_num(GaussianNoise(features=["d"]).corrupt(attack).X - attack.X).any(axis=0)
    assert np.flatnonzero(moved).tolist() == [7]


def test_without_standard_deviations(scene):
    with pytest.raises(NotApplicableError, match="standard deviations"):
        GaussianNoise().corrupt(scene(1.0, deviations=None))
