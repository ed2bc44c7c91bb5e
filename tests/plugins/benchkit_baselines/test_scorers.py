"""Metrics by scikit-learn's scorer names say what the scorers say, also of classes that are text."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.svm import SVC

from benchkit import MetricContext, NotApplicableError, registry
from benchkit_baselines.scorer_metrics import CLASSIFICATION, REGRESSION
from benchkit_baselines.scorers import Scorer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
SCORES = X @ RNG.normal(size=(4, 3)) + RNG.normal(size=(90, 3))


def context(model, y):
    return MetricContext(model=model, X=X, y=y, predictions=model.predict(X), truth={})


def fitted(classes, model=None):
    y = np.array(classes)[SCORES[:, : len(classes)].argmax(axis=1)]
    return (model or LogisticRegression()).fit(X, y), y


@pytest.mark.parametrize("metric", [each for each in CLASSIFICATION if isinstance(each.compute.target, Scorer)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classifiers_are_scored_as_scikit_learn_scores_them(metric, n_classes):
    model, y = fitted([-1, 1, 2][:n_classes])
    words, named = fitted(["bad", "good", "so"][:n_classes])
    if metric.compute.target.binary and n_classes > 2:
        with pytest.raises(NotApplicableError, match=f"{metric.name} is of two classes, and this data has 3"):
            metric.compute(context(model, y))
        return
    expected = get_scorer(metric.name)(model, X, y)
    assert metric.compute(context(model, y)) == pytest.approx(expected)
    assert metric.compute(context(words, named)) == pytest.approx(expected)
    low, high = metric.range
    assert low <= expected <= high
    assert metric.greater_is_better


@pytest.mark.parametrize("metric", REGRESSION)
def test_regressors_are_scored_as_scikit_learn_scores_them(metric):
    y = SCORES[:, 0]
    model = LinearRegression().fit(X[:50], y[:50])
    assert metric.compute(context(model, y)) == pytest.approx(get_scorer(metric.name)(model, X, y))


def test_what_a_score_needs():
    metrics = registry().metrics
    model, y = fitted([-1, 1], SVC())
    assert metrics["roc_auc"].compute(context(model, y)) > 0.5
    for name in ("neg_log_loss", "expected-calibration-error"):
        with pytest.raises(NotApplicableError, match=f"{name} needs probabilities, and SVC gives none"):
            metrics[name].compute(context(model, y))
    with pytest.raises(NotApplicableError, match="needs rows of every class in the test part"):
        metrics["roc_auc"].compute(context(model, np.ones(90, dtype=int)))


def test_the_calibration_error_of_a_forecast_that_is_known():
    chances = np.array([[0.1, 0.9]] * 10 + [[0.4, 0.6]] * 10)
    y = np.array([1] * 8 + [0] * 2 + [1] * 6 + [0] * 4)
    model = SimpleNamespace(predict_proba=lambda X: chances, classes_=np.array([0, 1]))
    evaluation = MetricContext(model=model, X=np.zeros((20, 1)), y=y, predictions=y, truth={})
    metric = registry().metrics["expected-calibration-error"]
    assert metric.compute(evaluation) == pytest.approx(0.05)  # (|0.8 - 0.9| + |0.6 - 0.6|) / 2
