"""Corrupted responses and what is measured of them."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import HuberRegressor, RANSACRegressor

from benchkit_robust_regression import metrics
from benchkit_robust_regression.adversaries import CorruptAdaptive, CorruptResponses, RandomScores
from benchkit_robust_regression.estimators.roofs import RoOFS
from benchkit_robust_regression.plugin import METRICS
from tests.attacks import attack, judged

ADVERSARIES = [CorruptResponses(), CorruptResponses(0), RandomScores(), CorruptAdaptive(), CorruptAdaptive("shifted")]


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda each: type(each).__name__)
def test_a_larger_budget_extends_a_smaller_one(draw, adversary):
    X, y, _, _ = draw(n=50, p=4)
    small, large = (adversary.corrupt(attack(X, y, None, budget, seed=0)) for budget in (0.1, 0.3))
    touched, more = (~found.truth["clean_rows"] for found in (small, large))
    assert (touched.sum(), more.sum()) == (5, 15)
    assert more[touched].all()
    np.testing.assert_array_equal(large.y[touched | ~more], small.y[touched | ~more])
    assert small.X is X


def test_corrupt_responses_has_the_paper_s_distributions(draw):
    X, y, _, _ = draw(n=20000, p=2, k=1)
    found = CorruptResponses().corrupt(attack(X, y, None, 0.5, seed=0))
    clean = found.truth["clean_rows"]
    assert np.var((found.y - y)[clean]) == pytest.approx(0.1, rel=0.05)
    reach = 5 * np.abs(y).max()
    assert np.var((found.y - y)[~clean]) == pytest.approx(reach**2 / 3, rel=0.05)
    assert np.abs(found.y - y).max() <= reach + 1
    only_noise = CorruptResponses(scale=0).corrupt(attack(X, y, None, 0.5, seed=0))
    assert np.var((only_noise.y - y)[~clean]) == pytest.approx(0.01, rel=0.05)
    np.testing.assert_array_equal(CorruptResponses(noise=0).corrupt(attack(X, y, None, 0.5, seed=0)).y[clean], y[clean])


def test_random_scores_are_whole_and_cover_the_scale():
    found = RandomScores().corrupt(attack(np.ones((2000, 1)), np.full(2000, 7.0), None, 0.5, seed=0))
    corrupted = ~found.truth["clean_rows"]
    assert set(found.y[corrupted]) == set(range(1, 11))
    assert set(found.y[~corrupted]) == {7.0}


def test_corrupt_adaptive_moves_to_one_model_where_it_hurts_most(draw):
    X, y, coef, _ = draw(n=100)
    found = CorruptAdaptive(noise=0).corrupt(attack(X, y, None, 0.4, seed=0))
    corrupted = ~found.truth["clean_rows"]
    np.testing.assert_allclose(found.y[corrupted], -(X @ coef)[corrupted])
    assert np.abs(y[corrupted]).min() >= np.abs(y[~corrupted]).max()
    shifted = CorruptAdaptive(model="shifted", noise=0).corrupt(attack(X, y, None, 1.0, seed=0))
    wrong = np.linalg.lstsq(X, shifted.y, rcond=None)[0]
    np.testing.assert_allclose(X @ wrong, shifted.y, atol=1e-10)  # one linear model explains all of them
    assert np.linalg.norm(shifted.y - y) == pytest.approx(np.linalg.norm(y))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CorruptResponses(noise=-1), "noise is -1"),
        (lambda: CorruptResponses(scale=np.inf), "scale is inf"),
        (lambda: RandomScores(low=3, high=2), "least score comes first"),
        (lambda: CorruptAdaptive(model="other"), "model is 'other'"),
        (lambda: CorruptAdaptive(strength=-1), "strength is -1"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def evaluate(model, truth, X=None, y=None):
    y_test = np.zeros(1) if y is None else y
    return judged(model, X, y_test, 0 * y_test, truth, X_train=X, y_train=y)


def test_by_hand():
    model = SimpleNamespace(coef_=np.array([1.0, 0.0, 2.0, 0.5]), support_=np.array([True, False, True, True]))
    model.inlier_mask_, model.n_iter_ = np.array([True, True, False]), 7
    truth = {"coef": np.array([1.0, 2.0, 0.0, 0.5]), "support": np.array([True, True, False, False])}
    truth["clean_rows"] = np.array([True, False, False])
    found = evaluate(model, truth)
    assert metrics.coefficient_error(found) == pytest.approx(np.sqrt(8))
    assert metrics.clean_rows_f1(found) == pytest.approx(2 / 3)
    assert metrics.all_clean_f1(found) == pytest.approx(2 * (1 / 3) / (4 / 3))
    assert metrics.features_f1(found) == pytest.approx(2 / 5)
    assert metrics.chance_features_f1(found) == pytest.approx(2 * (3 * 2 / 4) / 5)
    assert metrics.clean_share(found) == pytest.approx(2 / 3)
    assert metrics.fit_iterations(found) == 7
    model.n_iter_ = None
    assert np.isnan(metrics.fit_iterations(found))


def test_scikit_learn_s_names_of_inliers(draw):
    X, y, coef, clean = draw(corrupted=0.2, n=300, p=5)
    for model in (HuberRegressor(), RANSACRegressor(random_state=0)):
        found = evaluate(model.fit(X, y), {"clean_rows": clean, "coef": coef})
        assert metrics.clean_rows_f1(found) > 0.95
        assert metrics.coefficient_error(found) < 0.05


def test_what_is_not_known_has_no_value_nor_has_the_bound_of_fewer_clean_rows_than_features(draw):
    for metric in METRICS:
        assert np.isnan(metric.compute(evaluate(SimpleNamespace(), {})))
    assert np.isnan(metrics.f1_of_masks(np.ones(3, dtype=bool), np.ones(4, dtype=bool)))
    X, y, coef, clean = draw(n=10, p=30)
    found = evaluate(RoOFS(n_selected=20).fit(X, y), {"coef": coef, "clean_rows": clean}, X, y)
    assert np.isnan(metrics.coefficient_error_bound(found))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_error_is_within_the_bound_of_theorem_3(draw, seed, fit_intercept):
    X, y, coef, clean = draw(n=150, p=20, corrupted=0.3, noise=0.2, seed=seed, first=False)
    model = RoOFS(n_selected=4, batch_size=5, fit_intercept=fit_intercept).fit(X, y)
    found = evaluate(model, {"coef": coef, "clean_rows": clean}, X, y)
    assert metrics.coefficient_error(found) <= metrics.coefficient_error_bound(found) < 100
