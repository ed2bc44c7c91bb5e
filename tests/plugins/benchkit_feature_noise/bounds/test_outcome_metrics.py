"""Metrics of what was chosen, and of what one adversary reaches beyond another."""

import math

import numpy as np
import pytest
from sklearn.svm import SVC

from benchkit import MetricContext
from benchkit_feature_noise.bounds import outcome_metrics
from benchkit_feature_noise.bounds.bound_metrics import theorem2_bound, theorem2_slack
from benchkit_feature_noise.bounds.bracket_metrics import exact_error, greedy_error, relaxation_error
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    X = rng.choice([-1.0, 1.0], size=(80, 6))
    return X, np.where(X @ [3, 1, 1, 1, 1, 1] + rng.standard_normal(80) > 0, 1, -1)


def evaluation(model, rows, **changes):
    X, y = rows
    known = {"X": X, "y": y, "predictions": model.predict(X), "truth": {}, "uncorrupted": X, "X_train": X, "y_train": y}
    values = np.array([1.5, 0.5, 1.0, 1.2, 0.8, 1.0])
    return MetricContext(model=model, **{**known, "budget": 2.0, "feature_values": values, **changes})


def test_chosen_k(rows):
    assert outcome_metrics.chosen_k(evaluation(FeatureDroppingSVM(n_deleted=3).fit(*rows), rows)) == 3
    assert outcome_metrics.chosen_k(evaluation(RobustLinearProgram(noise_budget=2).fit(*rows), rows)) == 2
    assert math.isnan(outcome_metrics.chosen_k(evaluation(SVC(kernel="linear").fit(*rows), rows)))


def test_first_feature_deleted_counts_the_rows_it_is_said_of(rows):
    X, y = rows
    model = FeatureDroppingSVM(n_deleted=1).fit(X, y)
    model.coef_ = np.array([[2.0, 1.0, 1.0, 1.0, 1.0, 1.0]])
    assert outcome_metrics.first_feature_deleted(evaluation(model, rows)) == 1.0
    model.coef_ = np.array([[0.5, 1.0, 0.0, 0.0, 0.0, 0.0]])
    # x_1 goes only where x_2 does not help.
    said = (X[:, 0] > 0) & (y > 0)
    expected = (X[said, 1] < 0).mean()
    assert outcome_metrics.first_feature_deleted(evaluation(model, rows)) == pytest.approx(expected)
    assert math.isnan(outcome_metrics.first_feature_deleted(evaluation(SVC(kernel="linear").fit(X, y), rows)))


def test_differences_are_those_of_the_metrics_they_name(rows):
    found = evaluation(RobustLinearProgram(noise_budget=2, fit_intercept=False).fit(*rows), rows)
    assert outcome_metrics.greedy_understatement(found) == exact_error(found) - greedy_error(found) >= 0
    assert outcome_metrics.bracket_width(found) == relaxation_error(found) - greedy_error(found) >= 0
    undisturbed = np.mean(found.predictions != found.y)
    assert outcome_metrics.corruption_excess(found) == undisturbed - greedy_error(found)
    assert theorem2_slack(found) == theorem2_bound(found) - exact_error(found) >= 0
