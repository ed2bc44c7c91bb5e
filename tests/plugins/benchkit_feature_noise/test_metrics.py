"""Metrics: bounds hold and are silent outside their assumptions; brackets, differences, what was chosen, time."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from benchkit import MetricContext
from benchkit_feature_noise import metrics
from benchkit_feature_noise.bounds import deletion_bracket, worst_case_hinge
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.plugin import METRICS

BOUNDS = [metrics.theorem2_bound, metrics.corollary1_bound]


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


@pytest.mark.parametrize("seed", range(2))
def test_the_risk_under_deletion_is_below_its_bounds_and_these_below_1(seed):
    found = evaluation(lp(), seed=seed)
    kl, weak = (bound(found) for bound in BOUNDS)
    assert metrics.exact_error(found) <= kl <= weak < 1


def test_theorem_3_pays_for_its_margin():
    found = evaluation(lp(C=0.1), budget=1.0)
    assert metrics.theorem2_bound(found) < metrics.theorem3_bound(found) <= 1.05
    assert math.isnan(metrics.theorem3_bound(replace(found, feature_values=np.full(4, 2.0))))


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
    assert metrics.worst_case_loss(found) == pytest.approx(slack.mean())
    train = worst_case_hinge(found.model.coef_[0], 0.0, found.X_train, found.y_train, np.ones(4), 1.0)
    assert metrics.gamma_loss(found) == pytest.approx((train > 1e-12).mean(), abs=0.01)


def test_the_online_loss_obeys_its_regret_bound_against_the_program():
    found = evaluation(OnlineToBatchPerceptron(C=1.0, noise_budget=1.0, fit_intercept=False, random_state=0))
    best = lp().fit(found.X_train, found.y_train).objective_
    assert metrics.online_loss(found) <= best + metrics.theorem4_regret(found)
    assert metrics.theorem4_regret(found) == pytest.approx(
        np.sqrt(5 * (1 + (found.X_train**2).sum(axis=1).max()) / 4000)
    )
    assert math.isnan(metrics.corollary2_excess(found))  # |x|_1 exceeds 1


def test_corollary_2_where_rows_are_short():
    online = evaluation(OnlineToBatchPerceptron(C=1.0, noise_budget=1.0, fit_intercept=False), scale=0.25)
    best = metrics.worst_case_loss(evaluation(lp(), scale=0.25))
    assert metrics.worst_case_loss(online) <= best + metrics.corollary2_excess(online)
    assert math.isnan(metrics.online_loss(evaluation(lp())))


@pytest.fixture
def signs():
    rng = np.random.default_rng(1)
    X = rng.choice([-1.0, 1.0], size=(80, 6))
    return X, np.where(X @ [3, 1, 1, 1, 1, 1] + rng.standard_normal(80) > 0, 1, -1)


def of_signs(model, signs, **changes):
    X, y = signs
    known = {"X": X, "y": y, "predictions": model.predict(X), "truth": {}, "uncorrupted": X, "X_train": X, "y_train": y}
    values = np.array([1.5, 0.5, 1.0, 1.2, 0.8, 1.0])
    return MetricContext(model=model, **{**known, "budget": 2.0, "feature_values": values, **changes})


def test_chosen_k_and_how_often_the_first_feature_goes(signs):
    X, y = signs
    fdrop, other = FeatureDroppingSVM(n_deleted=1).fit(X, y), of_signs(SVC(kernel="linear").fit(X, y), signs)
    assert metrics.chosen_k(of_signs(fdrop, signs)) == 1
    assert metrics.chosen_k(of_signs(RobustLinearProgram(noise_budget=2).fit(X, y), signs)) == 2
    fdrop.coef_ = np.array([[2.0, 1.0, 1.0, 1.0, 1.0, 1.0]])
    assert metrics.first_feature_deleted(of_signs(fdrop, signs)) == 1.0
    fdrop.coef_ = np.array([[0.5, 1.0, 0.0, 0.0, 0.0, 0.0]])
    # x_1 goes only where x_2 does not help.
    expected = (X[(X[:, 0] > 0) & (y > 0), 1] < 0).mean()
    assert metrics.first_feature_deleted(of_signs(fdrop, signs)) == pytest.approx(expected)
    assert math.isnan(metrics.chosen_k(other))
    assert math.isnan(metrics.first_feature_deleted(other))


def test_brackets_are_of_the_uncorrupted_rows_and_differences_of_the_metrics_they_name(signs):
    found = of_signs(RobustLinearProgram(noise_budget=2, fit_intercept=False).fit(*signs), signs)
    bracket = deletion_bracket(found.model.coef_[0], 0.0, *signs, found.feature_values, 2.0)
    greedy, exact, relaxation = bracket
    for context in (found, replace(found, X=0 * found.X)):
        assert (metrics.greedy_error(context), metrics.exact_error(context)) == (greedy, exact)
        assert metrics.relaxation_error(context) == relaxation
    assert metrics.greedy_understatement(found) == exact - greedy >= 0
    assert metrics.bracket_width(found) == relaxation - greedy >= 0
    assert metrics.corruption_excess(found) == np.mean(found.predictions != found.y) - greedy
    assert metrics.theorem2_slack(found) == metrics.theorem2_bound(found) - exact >= 0
    for other in (replace(found, model=RandomForestClassifier()), replace(found, uncorrupted=None)):
        assert math.isnan(metrics.greedy_error(other))


def test_every_metric_is_declared_and_time_needs_what_it_measures(signs):
    compute = {metric.name: metric.compute for metric in METRICS}
    model = LogisticRegression().fit(*signs)
    context = of_signs(model, signs, seconds={"fit": 3.0})
    assert all(isinstance(function(context), float) for function in compute.values())
    assert compute["seconds-per-iteration"](context) == pytest.approx(3.0 / model.n_iter_[0])
