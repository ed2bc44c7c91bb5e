"""Bounds as metrics: they hold, they say something on large samples, and are silent outside their assumptions."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

from benchkit import MetricContext
from benchkit_feature_noise.bounds import bound_metrics
from benchkit_feature_noise.bounds.bracket_metrics import exact_error
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.worst_case import worst_case_hinge

BOUNDS = [bound_metrics.theorem2_bound, bound_metrics.corollary1_bound]


def draw(rng, m, scale=1.0):
    y = rng.choice([-1, 1], m)
    return scale * np.clip(0.6 * y[:, None] + rng.uniform(-0.8, 0.8, (m, 4)), -1, 1), y


def evaluation(model, m=4000, budget=1.0, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X, y = draw(rng, m, scale)
    X_test, y_test = draw(rng, 4000, scale)
    model.fit(X, y)
    return MetricContext(
        model=model,
        X=X_test,
        y=y_test,
        predictions=model.predict(X_test),
        truth={},
        uncorrupted=X_test,
        X_train=X,
        y_train=y,
        budget=budget,
        feature_values=np.ones(4),
    )


def lp(**params):
    return RobustLinearProgram(**{"C": 1.0, "noise_budget": 1.0, "fit_intercept": False, **params})


@pytest.mark.parametrize("seed", range(3))
def test_the_risk_under_deletion_is_below_its_bounds_and_these_below_1(seed):
    found = evaluation(lp(), seed=seed)
    kl, weak = (bound(found) for bound in BOUNDS)
    assert exact_error(found) <= kl <= weak < 1


def test_bounds_tighten_as_the_sample_grows():
    values = [bound_metrics.theorem2_bound(evaluation(lp(), m=m)) for m in (200, 1000, 5000)]
    assert values[0] > values[1] > values[2]


def test_theorem_3_pays_for_its_margin():
    found = evaluation(lp(C=0.1), budget=1.0)
    assert bound_metrics.theorem2_bound(found) < bound_metrics.theorem3_bound(found) <= 1.05
    assert math.isnan(bound_metrics.theorem3_bound(replace(found, feature_values=np.full(4, 2.0))))


@pytest.mark.parametrize("bound", BOUNDS)
def test_no_bound_outside_the_assumptions(bound):
    assert math.isnan(bound(evaluation(lp(fit_intercept=True))))
    assert math.isnan(bound(evaluation(lp(), scale=3.0)))
    assert math.isnan(bound(evaluation(SVC(kernel="rbf"))))
    good = evaluation(lp())
    assert math.isnan(bound(replace(good, feature_values=np.array([0.0, 1, 1, 1]))))
    assert math.isnan(bound(replace(good, budget=4.0)))
    good.model.coef_ = good.model.coef_ + 5
    assert math.isnan(bound(good))


def test_gamma_loss_and_worst_case_loss_are_those_of_their_rows():
    found = evaluation(lp())
    slack = worst_case_hinge(found.model.coef_[0], 0.0, found.X, found.y, np.ones(4), 1.0)
    assert bound_metrics.worst_case_loss(found) == pytest.approx(slack.mean())
    train = worst_case_hinge(found.model.coef_[0], 0.0, found.X_train, found.y_train, np.ones(4), 1.0)
    assert bound_metrics.gamma_loss(found) == pytest.approx((train > 1e-12).mean(), abs=0.01)


def test_the_online_loss_obeys_its_regret_bound_against_the_program():
    found = evaluation(OnlineToBatchPerceptron(C=1.0, noise_budget=1.0, fit_intercept=False, random_state=0))
    best = lp().fit(found.X_train, found.y_train).objective_
    assert bound_metrics.online_loss(found) <= best + bound_metrics.theorem4_regret(found)
    assert bound_metrics.theorem4_regret(found) == pytest.approx(
        np.sqrt(5 * (1 + (found.X_train**2).sum(axis=1).max()) / 4000)
    )
    assert math.isnan(bound_metrics.corollary2_excess(found))  # |x|_1 exceeds 1


def test_corollary_2_where_rows_are_short():
    online = evaluation(OnlineToBatchPerceptron(C=1.0, noise_budget=1.0, fit_intercept=False), scale=0.25)
    best = bound_metrics.worst_case_loss(evaluation(lp(), scale=0.25))
    assert bound_metrics.worst_case_loss(online) <= best + bound_metrics.corollary2_excess(online)
    assert math.isnan(bound_metrics.online_loss(evaluation(lp())))
