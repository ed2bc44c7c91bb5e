"""The corrupting adversary: the greedy choice, noise that does not depend on the budget."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from benchkit_deletion.adversaries.linear import GreedyDelete
from benchkit_feature_noise.adversaries import GreedyCorrupt
from tests.attacks import attack


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(loc=2.0, scale=3.0, size=(3000, 5))
    y = np.where(X[:, 0] - X[:, 3] > 0, 1, -1)
    return X, y, LogisticRegression().fit(X, y)


@pytest.mark.parametrize("noise", ["gaussian", "bounded"])
def test_replaces_what_greedy_deletes_and_nests(problem, noise):
    X, y, model = problem
    previous = X
    for budget in range(4):
        corrupted = GreedyCorrupt(noise).corrupt(attack(X, y, model, budget)).X
        deleted = GreedyDelete().corrupt(attack(X, y, model, budget)).X == 0
        np.testing.assert_array_equal(corrupted != X, deleted)
        before = previous != X
        np.testing.assert_array_equal(corrupted[before], previous[before])
        previous = corrupted


def test_noise_has_the_moments_it_should(problem):
    X, y, model = problem
    for noise, mean, deviation in (("gaussian", X.mean(axis=0), X.std(axis=0)), ("bounded", 0.0, np.sqrt(1 / 3))):
        corrupted = GreedyCorrupt(noise).corrupt(attack(X, y, model, 2)).X
        drawn = np.where(corrupted != X, corrupted, np.nan)[:, [0, 3]]  # the features that matter to the model
        np.testing.assert_allclose(np.nanmean(drawn, axis=0), np.broadcast_to(mean, 5)[[0, 3]], atol=0.25)
        np.testing.assert_allclose(np.nanstd(drawn, axis=0), np.broadcast_to(deviation, 5)[[0, 3]], rtol=0.07)
    assert np.nanmax(np.abs(drawn)) <= 1
