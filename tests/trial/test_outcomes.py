"""What is kept of each test row says again what the model said of it."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier

from benchkit import MetricContext
from benchkit.trial.rows import outcomes_of, stored_context

ROWS = np.arange(40) * 2


def judged(model, y, X):
    model.fit(X, y)
    return MetricContext(model=model, X=X, y=y, predictions=model.predict(X), truth={}, uncorrupted=X, y_train=y)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.fixture
def y(X):
    return np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, "yes", "no")


def test_the_model_answers_again(X, y):
    context = judged(LogisticRegression(), y, X)
    again = stored_context(outcomes_of(context, ROWS, False, "scores"))
    assert np.array_equal(again.y, y)
    assert np.array_equal(again.predictions, context.predictions)
    assert np.array_equal(again.model.decision_function(None), context.model.decision_function(X))
    assert np.array_equal(again.model.predict_proba(None), context.model.predict_proba(X))
    assert list(again.model.classes_) == ["no", "yes"]


def test_what_a_model_has_not_it_has_not_afterwards(X, y):
    again = stored_context(outcomes_of(judged(RidgeClassifier(), y, X), ROWS, False, "scores"))
    assert not hasattr(again.model, "predict_proba")
    labels = stored_context(outcomes_of(judged(LogisticRegression(), y, X), ROWS, False, "labels"))
    assert not hasattr(labels.model, "decision_function")


def test_losses_alone_give_predictions_with_these_losses(X, y):
    context = judged(LogisticRegression(), y, X)
    again = stored_context(outcomes_of(context, ROWS, False, "losses"))
    assert np.array_equal(again.predictions != again.y, context.predictions != y)
    target = X @ [1.0, 2.0, 3.0] + np.sin(9 * X[:, 0])
    context = judged(LinearRegression(), target, X)
    again = stored_context(outcomes_of(context, ROWS, False, "losses"))
    assert np.allclose((again.predictions - again.y) ** 2, (context.predictions - target) ** 2, rtol=1e-6)


def test_what_the_adversary_changed_is_told_gap_for_gap(X):
    before = X.copy()
    before[0, 0] = np.nan
    attacked = before.copy()
    attacked[1, 2] = np.nan
    attacked[2, 1] += 1
    y = X[:, 1]
    kept = MetricContext(model=LinearRegression(), X=attacked, y=y, predictions=y, truth={}, uncorrupted=before)
    assert np.argwhere(outcomes_of(kept, ROWS, True, "scores").changed).tolist() == [[1, 2], [2, 1]]
    assert outcomes_of(kept, ROWS, False, "scores").changed is None


def test_nothing_is_kept_where_nothing_is_wanted(X, y):
    assert outcomes_of(judged(LogisticRegression(), y, X), ROWS, False, "none") is None
