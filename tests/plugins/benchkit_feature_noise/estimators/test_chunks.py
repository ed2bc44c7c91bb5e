"""Chunks: a program for each part of the rows, weights averaged."""

import numpy as np
import pytest
from sklearn.base import clone

from benchkit_feature_noise.estimators.lp import RobustLinearProgram, draw_chunks
from benchkit_feature_noise.worst_case import worst_case_hinge

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 5))
Y = np.where(X[:, 0] - X[:, 1] + RNG.normal(size=60) > 0, 1, -1)


@pytest.mark.parametrize("chunks", [2, 3, 7])
def test_every_row_is_in_one_chunk_and_classes_keep_their_shares(chunks):
    parts = draw_chunks(Y, chunks, random_state=0)
    assert sorted(np.concatenate(parts)) == list(range(60))
    counts = np.array([(Y[rows] == 1).sum() for rows in parts])
    assert np.ptp(counts) <= 1


def test_weights_are_the_mean_of_the_chunks_own():
    model = RobustLinearProgram(C=0.5, noise_budget=1, chunks=3, random_state=0).fit(X, Y)
    whole = RobustLinearProgram(C=0.5, noise_budget=1)
    alone = [clone(whole).fit(X[rows], Y[rows]) for rows in draw_chunks(np.where(Y > 0, 1.0, -1.0), 3, 0)]
    np.testing.assert_allclose(model.coef_, np.mean([part.coef_ for part in alone], axis=0))
    np.testing.assert_allclose(model.intercept_, np.mean([part.intercept_ for part in alone], axis=0))
    assert model.n_iter_ == sum(part.n_iter_ for part in alone)


def test_the_bound_of_chunks_is_below_the_optimum_of_all_rows():
    model = RobustLinearProgram(C=0.5, noise_budget=1, chunks=4, random_state=1).fit(X, Y)
    best = RobustLinearProgram(C=0.5, noise_budget=1).fit(X, Y)
    slack = worst_case_hinge(model.coef_[0], model.intercept_[0], X, Y, np.ones(5), 1)
    assert model.objective_ == pytest.approx(slack.mean())
    assert model.dual_objective_ <= best.dual_objective_ + 1e-6
    assert best.objective_ <= model.objective_ + 1e-9
    assert model.duality_gap_ == model.objective_ - model.dual_objective_


@pytest.mark.parametrize(
    ("chunks", "message"),
    [(0, "chunks is 0, expected a positive whole number"), (1.5, "chunks is 1.5"), (40, "a class has only")],
)
def test_impossible_divisions_are_refused(chunks, message):
    with pytest.raises(ValueError, match=message):
        RobustLinearProgram(chunks=chunks).fit(X, Y)
