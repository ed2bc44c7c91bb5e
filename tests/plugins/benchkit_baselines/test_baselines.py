"""Baselines; scikit-learn's scorers as metrics; what rows add to a metric, and the variance of its mean."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, mean_absolute_error, mean_squared_error
from sklearn.svm import SVC

from benchkit import NotApplicableError, registry
from benchkit_baselines.constant import ConstantClassifier
from benchkit_baselines.scorer_metrics import CLASSIFICATION, REGRESSION
from benchkit_baselines.scorers import Scorer
from tests.attacks import judged


@pytest.mark.parametrize(("y", "majority", "rows"), [([-1, -1, 1], -1, 1), ([-1, 1, 1], 1, 1), ([*"abbc"], "b", 3)])
def test_the_constant_predicts_the_majority(y, majority, rows):
    model = ConstantClassifier().fit(np.zeros((len(y), 2)), y)
    assert model.predict(np.ones((3, 2))).tolist() == [majority] * 3
    np.testing.assert_array_equal(model.coef_, np.zeros((rows, 2)))


def test_metrics_of_classes_of_targets_and_of_time():
    metrics = registry().metrics
    found = judged(None, None, np.array([1, -1, 1, 1]), np.array([1, 1, 1, -1]))
    assert metrics["error"].compute(found) == 0.5
    assert metrics["accuracy"].compute(found) == 0.5
    rng = np.random.default_rng(0)
    y, predictions = rng.normal(size=9), rng.normal(size=9)
    found = judged(None, None, y, predictions)
    assert metrics["mean-absolute-error"].compute(found) == pytest.approx(mean_absolute_error(y, predictions))
    assert metrics["mean-squared-error"].compute(found) == pytest.approx(mean_squared_error(y, predictions))
    seconds = {"load": 1.0, "fit": 2.0, "tune": 3.0, "corrupt": 4.0}
    found = judged(None, None, y, y, seconds=seconds)
    assert [metrics[f"{name}-seconds"].compute(found) for name in seconds] == [1, 2, 3, 4]
    assert np.isnan(metrics["fit-seconds"].compute(judged(None, None, y, y)))  # of a candidate


METRICS = {name: metric for name, metric in registry().metrics.items() if metric.row_values is not None}


def drawn(task, n=400, rows=None):
    rng = np.random.default_rng(0)
    rows = np.arange(n) if rows is None else rows
    empty = np.empty((len(rows), 0))
    if task == "regression":
        y = rng.normal(size=n)
        answers = y + rng.normal(size=n) * 0.7
        return judged(SimpleNamespace(), empty, y[rows], answers[rows])
    y = np.where(rng.random(n) < 0.3, 1, -1)
    chance = (1 / (1 + np.exp(-(1.2 * y + rng.normal(size=n))))).round(2)[rows]  # with ties
    both = np.column_stack([1 - chance, chance])
    model = SimpleNamespace(classes_=np.array([-1, 1]), predict_proba=lambda X: both)
    return judged(model, empty, y[rows], np.where(chance > 0.5, 1, -1))


@pytest.mark.parametrize("name", sorted(METRICS))
def test_their_mean_is_the_metric(name):
    found = drawn(METRICS[name].tasks[0])
    assert np.mean(METRICS[name].row_values(found)) == pytest.approx(METRICS[name].compute(found), abs=1e-12)


@pytest.mark.parametrize("name", sorted(METRICS)[::3])
def test_their_variance_is_what_redrawn_rows_give(name):
    task, n, rng = METRICS[name].tasks[0], 400, np.random.default_rng(1)
    said = np.std(METRICS[name].row_values(drawn(task))) / np.sqrt(n)
    redrawn = [METRICS[name].compute(drawn(task, rows=rng.integers(0, n, n))) for _ in range(300)]
    assert said == pytest.approx(np.std(redrawn), rel=0.15)


RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
SCORES = X @ RNG.normal(size=(4, 3)) + RNG.normal(size=(90, 3))


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
            metric.compute(judged(model, X, y))
        return
    expected = get_scorer(metric.name)(model, X, y)
    assert metric.compute(judged(model, X, y)) == pytest.approx(expected)
    assert metric.compute(judged(words, X, named)) == pytest.approx(expected)
    low, high = metric.range
    assert low <= expected <= high
    assert metric.greater_is_better


@pytest.mark.parametrize("metric", REGRESSION)
def test_regressors_are_scored_as_scikit_learn_scores_them(metric):
    y = SCORES[:, 0]
    model = LinearRegression().fit(X[:50], y[:50])
    assert metric.compute(judged(model, X, y)) == pytest.approx(get_scorer(metric.name)(model, X, y))


def test_what_a_score_needs():
    metrics = registry().metrics
    model, y = fitted([-1, 1], SVC())
    assert metrics["roc_auc"].compute(judged(model, X, y)) > 0.5
    for name in ("neg_log_loss", "expected-calibration-error"):
        with pytest.raises(NotApplicableError, match=f"{name} needs probabilities, and SVC gives none"):
            metrics[name].compute(judged(model, X, y))
    with pytest.raises(NotApplicableError, match="needs rows of every class in the test part"):
        metrics["roc_auc"].compute(judged(model, X, np.ones(90, dtype=int)))


def test_the_calibration_error_of_a_forecast_that_is_known():
    chances = np.array([[0.1, 0.9]] * 10 + [[0.4, 0.6]] * 10)
    y = np.array([1] * 8 + [0] * 2 + [1] * 6 + [0] * 4)
    model = SimpleNamespace(predict_proba=lambda X: chances, classes_=np.array([0, 1]))
    metric = registry().metrics["expected-calibration-error"]
    expected = (abs(0.8 - 0.9) + abs(0.6 - 0.6)) / 2
    assert metric.compute(judged(model, np.zeros((20, 1)), y, y)) == pytest.approx(expected)
