"""The theorems' bounds against enumeration, root finding, simulation; metrics are silent outside their assumptions."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.sparse import csr_matrix
from scipy.special import rel_entr
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import SVC

from benchkit import NotApplicableError
from benchkit_feature_noise import bounds, metrics
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.plugin import METRICS
from benchkit_hardening.choice import Choice
from tests.attacks import judged


def drawn(seed, n=7, m=300):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(-0.3, 1, (m, n)), rng.choice([-1.0, 1.0], m, p=[0.2, 0.8])
    return X, y, rng.normal(size=n) + 1, rng.gamma(1.0, size=n)


def affordable(values, budget):
    """What may be left: masks of shape (n_sets, n_features)."""
    return np.array([left for left in product([0, 1], repeat=len(values)) if (1 - np.array(left)) @ values <= budget])


@pytest.mark.parametrize("seed", range(3))
def test_the_bracket_is_around_the_worst_subset(seed):
    X, y, coef, values = drawn(seed)
    kept = affordable(values, 2.0)
    worst = np.array([(label * (0.2 + kept @ (x * coef))).min() for x, label in zip(X, y, strict=True)])
    for data in (X, csr_matrix(X)):
        greedy, exact, relaxation = bounds.deletion_bracket(coef, 0.2, data, y, values, 2.0)
        assert exact == pytest.approx((worst <= 0).mean())
        assert greedy <= exact <= relaxation


def test_a_gap_is_seen_there_is_none_without_a_budget_and_no_exact_error_above_the_work_limit():
    # Of the margin 11.2 greedy takes 9.7, exact 11.4, the relaxation more.
    problem = np.array([4.0, 5.7, 5.7]), -4.2, np.ones((1, 3)), np.ones(1), np.array([2.0, 3.0, 3.0])
    assert bounds.deletion_bracket(*problem, 6.0) == (0.0, 1.0, 1.0)
    assert bounds.deletion_bracket(*problem, 0.0) == (0.0, 0.0, 0.0)
    assert bounds.deletion_bracket(*problem, 6.0, work_limit=1) == (0.0, None, 1.0)


@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_worst_case_hinge_is_the_slack_of_the_exponential_program(make):
    X, y, w, _ = drawn(0, n=4, m=6)
    kept = affordable(np.ones(4), 2)
    expected = [max(0.0, *(kept.sum(1) / 2 - y[i] * (0.3 + kept @ (w * X[i])))) for i in range(6)]
    np.testing.assert_allclose(bounds.worst_case_hinge(w, 0.3, make(X), y, np.ones(4), 2), expected, atol=1e-12)


@pytest.mark.parametrize("gamma", [0.0, 0.3, 1.0])
def test_gamma_loss_is_no_less_than_the_enumerated_one_and_equals_it_for_whole_budgets(gamma):
    X, y, coef, uneven = drawn(2)
    for values in (uneven, np.ones(7)):
        kept = affordable(values, 2.0)
        required = gamma * (kept @ values) / (values.sum() - 2.0)
        expected = np.array([(label * (kept @ (x * coef)) < required).any() for x, label in zip(X, y, strict=True)])
        found = bounds.gamma_loss(coef, X, y, values, 2.0, gamma)
        assert (expected <= found).all()
        assert 0 < found.mean() < 1
    np.testing.assert_array_equal(found, expected)


@given(st.floats(0.001, 0.999), st.floats(1e-6, 5))
def test_kl_inverse_is_the_root(empirical, limit):
    def excess(epsilon):
        return rel_entr(empirical, epsilon) + rel_entr(1 - empirical, 1 - epsilon) - limit

    top = 1 - 1e-15
    expected = brentq(excess, empirical, top, xtol=1e-15) if excess(top) > 0 else 1.0
    assert bounds.kl_inverse(empirical, limit) == pytest.approx(expected, abs=1e-9)


def test_kl_inverse_at_the_ends_complexity_over_features_and_corollary_2():
    assert bounds.kl_inverse(0.0, 0.5) == pytest.approx(1 - np.exp(-0.5))
    assert bounds.kl_inverse(1.0, 0.5) == 1.0
    assert bounds.kl_inverse(0.25, 0.0) == pytest.approx(0.25)
    values = np.array([0.5, 1.0, 100.0])
    expected = np.log(1000 / 0.1) + np.log(4 * 100.5 * 2 / (0.3 * 0.5)) + np.log(4 * 100.5 * 2 / 0.3)
    expected += np.log(4 * 100.5 * 2 / (0.3 * 100.0))
    assert bounds.complexity(1000, 0.1, 0.3, values, 1.0, 2.0) == pytest.approx(expected)
    # Features worth more than 4 P C / kappa add nothing.
    assert bounds.complexity(1000, 0.1, 1e6, values, 1.0, 2.0) == pytest.approx(np.log(10_000))
    found = bounds.online_risk_bound(0.1, 0.5, 10_000, np.ones(4), 1.0, delta=0.1)  # Corollary 2: both deviations
    assert found == pytest.approx(0.1 + (1.5 + 4 / 3) * np.sqrt(2 * (5 + np.log(20)) / 10_000))


@given(st.floats(0, 1), st.integers(50, 10**6), st.floats(0.001, 0.5), st.floats(0.01, 3))
def test_weak_bound_is_weaker_and_both_are_monotone(loss, m, delta, kappa):
    values = np.ones(5)
    for form in ("kl", "weak"):
        here = bounds.deletion_risk_bound(loss, m, delta, kappa, values, 2.0, 0.5, form)
        assert bounds.deletion_risk_bound(loss, 2 * m, delta, kappa, values, 2.0, 0.5, form) <= here + 1e-12
        assert bounds.deletion_risk_bound(loss, m, delta / 2, kappa, values, 2.0, 0.5, form) >= here - 1e-12
        assert bounds.deletion_risk_bound(loss, m, delta, 2 * kappa, values, 2.0, 0.5, form) <= here + 1e-12
        assert here >= loss
    assert bounds.deletion_risk_bound(loss, m, delta, kappa, values, 2.0, 0.5) <= here + 1e-12


@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_theorem_3_by_simulation(epsilon):
    rng = np.random.default_rng(1)
    n, m, N, C = 40, 4000, 3, 0.5
    X, y, coef, values = rng.uniform(-1, 1, (m, n)), np.ones(m), np.full(n, C), np.ones(n)
    X += 0.4 * (1 - np.abs(X))  # a margin
    gamma = bounds.corruption_margin(C, N, epsilon)
    assert gamma == pytest.approx(C * np.sqrt(2 * N * np.log(1 / epsilon)))
    bound = bounds.gamma_loss(coef, X, y, values, N, gamma).mean() + epsilon
    corrupted = X.copy()
    np.put_along_axis(corrupted, np.argsort(-X * coef, axis=1)[:, :N], rng.choice([-1.0, 1.0], (m, N)), axis=1)
    assert (corrupted @ coef <= 0).mean() <= bound
    assert bound < 1


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: bounds.complexity(1, 0.1, 1.0, np.ones(2), 1.0, 1.0), "m is 1"),
        (lambda: bounds.complexity(9, 1.5, 1.0, np.ones(2), 1.0, 1.0), "delta"),
        (lambda: bounds.complexity(9, 0.5, 0.0, np.ones(2), 1.0, 1.0), "kappa"),
        (lambda: bounds.complexity(9, 0.5, 1.0, np.array([0.0, 1.0]), 0.5, 1.0), "positive"),
        (lambda: bounds.kl_inverse(1.5, 1.0), "empirical"),
        (lambda: bounds.remaining_value(np.ones(2), 2.0), "total value"),
        (lambda: bounds.corruption_margin(1.0, 1, 1.0), "epsilon"),
        (lambda: bounds.deletion_risk_bound(0.1, 9, 0.5, 1.0, np.ones(2), 1.0, 1.0, form="strong"), "form"),
        (lambda: bounds.gamma_loss(np.ones(2), np.ones((1, 2)), np.ones(1), np.ones(2), 1.0, -1.0), "gamma"),
    ],
)
def test_bad_arguments_are_named(call, match):
    with pytest.raises(ValueError, match=match):
        call()


BOUNDS = [metrics.theorem2_bound, metrics.corollary1_bound]


def draw(rng, m, scale=1.0):
    y = rng.choice([-1, 1], m)
    return scale * np.clip(0.6 * y[:, None] + rng.uniform(-0.8, 0.8, (m, 4)), -1, 1), y


def evaluation(model, m=4000, budget=1.0, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X, y = draw(rng, m, scale)
    X_test, y_test = draw(rng, 4000, scale)
    known = {"uncorrupted": X_test, "X_train": X, "y_train": y, "budget": budget, "feature_values": np.ones(4)}
    return judged(model.fit(X, y), X_test, y_test, **known)


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
    good.model.coef_, good.model.intercept_ = good.model.coef_ - 5, np.array([1.0])
    assert math.isnan(metrics.gamma_loss(good))


def test_gamma_loss_and_worst_case_loss_are_those_of_their_rows():
    found = evaluation(lp())
    slack = bounds.worst_case_hinge(found.model.coef_[0], 0.0, found.X, found.y, np.ones(4), 1.0)
    assert metrics.worst_case_loss(found) == pytest.approx(slack.mean())
    train = bounds.worst_case_hinge(found.model.coef_[0], 0.0, found.X_train, found.y_train, np.ones(4), 1.0)
    assert metrics.gamma_loss(found) == pytest.approx((train > 1e-12).mean(), abs=0.01)


def test_the_online_loss_obeys_its_regret_bound_and_corollary_2_where_rows_are_short():
    found = evaluation(OnlineToBatchPerceptron(C=1.0, noise_budget=1.0, fit_intercept=False, random_state=0))
    best = lp().fit(found.X_train, found.y_train).objective_
    assert metrics.online_loss(found) <= best + metrics.theorem4_regret(found)
    longest = (found.X_train**2).sum(axis=1).max()
    assert metrics.theorem4_regret(found) == pytest.approx(np.sqrt(5 * (1 + longest) / 4000))
    # Another radius is another step, with a looser bound: the proof's before the step is chosen.
    for radius in ("unit-l1", 0.1, 10.0):
        other = evaluation(OnlineToBatchPerceptron(C=1.0, noise_budget=1.0, fit_intercept=False, radius=radius))
        regret, step = metrics.theorem4_regret(other), other.model.step_
        assert metrics.online_loss(other) <= best + regret
        assert regret == pytest.approx(5 / (2 * 4000 * step) + step * (1 + longest) / 2)
        assert regret > metrics.theorem4_regret(found)
        short = evaluation(clone(other.model), scale=0.1)
        assert math.isnan(metrics.corollary2_excess(short)) == (radius == 10.0)
    assert math.isnan(metrics.corollary2_excess(found))  # |x|_1 exceeds 1
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
    known = {"uncorrupted": X, "X_train": X, "y_train": y, "budget": 2.0}
    return judged(model, X, y, **known, feature_values=np.array([1.5, 0.5, 1.0, 1.2, 0.8, 1.0]), **changes)


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
    choice = Choice(SVC(kernel="linear")).fit(X, y)
    assert math.isnan(metrics.chosen_k(of_signs(choice, signs)))
    choice.n_deleted = 2.0
    assert math.isnan(metrics.first_feature_deleted(of_signs(choice, signs)))
    assert math.isnan(metrics.iterations(of_signs(RidgeClassifier().fit(X, y), signs)))


def test_a_budget_of_features_costs_one_each_and_a_group_is_one(signs):
    model, groups = RobustLinearProgram(noise_budget=2).fit(*signs), [[0, 3]]
    for unit, prices in (("features", [0.5, 1, 1, 0.5, 1, 1]), ("value", [1.5, 0.5, 1.0, 1.2, 0.8, 1.0])):
        found = of_signs(model, signs, budget_unit=unit, groups=groups)
        same = replace(found, budget_unit="value", feature_values=np.array(prices))
        assert metrics.exact_error(found) == metrics.exact_error(same)
    with pytest.raises(NotApplicableError, match="no amount of features: its unit is sd"):
        metrics.exact_error(replace(found, budget_unit="sd"))


def test_brackets_are_of_the_uncorrupted_rows_and_differences_of_the_metrics_they_name(signs):
    found = of_signs(RobustLinearProgram(noise_budget=2, fit_intercept=False).fit(*signs), signs)
    greedy, exact, relaxation = bounds.deletion_bracket(found.model.coef_[0], 0.0, *signs, found.feature_values, 2.0)
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
