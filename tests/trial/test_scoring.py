"""A model is judged on what it predicts; what is kept of each test row says again what the model said of it."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier

from benchkit import Metric, MetricContext, NotApplicableError
from benchkit.plugin.guard import blamed_on, with_blame
from benchkit.trial.prepared import Part
from benchkit.trial.rows import outcomes_of, stored_context
from benchkit.trial.scoring import ask, score

Y = np.array([-1, -1, 1, 1])
X = np.arange(4.0)[:, None]
PART = Part(X, Y, X)
ERROR = Metric(name="share-wrong", compute=lambda context: np.mean(context.predictions != context.y))


GROUPS = SimpleNamespace(groups=())
TRUTH = {"of": "data", "rows": 4}
PREPARED = SimpleNamespace(train=PART, budget=2.0, values=np.ones(1), truth=TRUTH, data=GROUPS)


def judge(model, *metrics, truth=None, reasons=None):
    return score(metrics, ask(model, PART, PART, PREPARED, truth or {}, {}), reasons)


def predicting(predictions):
    model = DummyClassifier().fit(X, Y)
    model.predict = lambda X: predictions
    return model


def test_a_metric_sees_budget_values_and_the_truth_of_adversary_over_that_of_the_data():
    contexts = []
    metric = Metric(name="spy", compute=lambda context: contexts.append(context) or 1)
    judge(predicting(Y), metric, truth={"of": "adversary"})
    (context,) = contexts
    assert context.truth == {"of": "adversary", "rows": 4}
    assert context.budget == 2.0
    assert context.uncorrupted is PART.X


@pytest.mark.parametrize(
    ("predictions", "reason"),
    [
        (np.array([-1, 1]), r"shape \(2,\) for 4 rows"),
        (np.array([1.0, np.nan, 1.0, 1.0]), "not finite"),
        (np.array([0, 1, 1, 1]), "predict returned 0, which is none of the classes: -1, 1"),
    ],
)
def test_predictions_that_cannot_be_judged(predictions, reason):
    with pytest.raises(ValueError, match=reason):
        judge(predicting(predictions), ERROR)


def test_a_metric_of_another_task():
    with pytest.raises(NotApplicableError, match="share-wrong does not judge regression"):
        judge(DummyRegressor().fit(X, Y), ERROR)
    reasons = {}
    both = [ERROR, Metric(name="far", compute=lambda context: 1.0, tasks=("classification", "regression"))]
    scores = judge(DummyRegressor().fit(X, Y), *both, reasons=reasons)
    assert scores["far"] == 1.0
    assert np.isnan(scores["share-wrong"])
    assert reasons == {"share-wrong": "metric share-wrong does not judge regression"}


def test_a_metric_cannot_change_what_others_judge():
    def writes(context):
        context.predictions[:] = -1

    predictions = np.array([-1, 1, 1, 1])
    with pytest.raises(ValueError, match="metric writes writes to the data it is given .*: let it work on a copy"):
        judge(predicting(predictions), Metric(name="writes", compute=writes), ERROR)
    assert predictions.tolist() == [-1, 1, 1, 1]


@pytest.mark.parametrize(
    ("value", "message"),
    [(7.0, "is 7, outside the range 0 to 1"), (np.inf, "is inf, outside the range"), ("good", "returned 'good'")],
)
def test_a_value_outside_the_declared_range_or_that_is_no_number_is_refused(value, message):
    with pytest.raises((TypeError, ValueError), match=f"metric share {message}"):
        judge(predicting(Y), Metric(name="share", compute=lambda context: value, range=(0, 1)))


def test_a_record_says_whose_code_raised():
    blamed = {"metric f2: no rows": ZeroDivisionError("no rows"), "no classes": NotApplicableError("no classes")}
    for message, raised in blamed.items():
        with pytest.raises(type(raised)) as caught, blamed_on("metric f2"):
            raise raised
        assert with_blame(pickle.loads(pickle.dumps(caught.value))) == message  # as workers send it


ROWS = np.arange(40) * 2
MANY = np.random.default_rng(0).normal(size=(40, 3))
WORDS = np.where(MANY[:, 0] + MANY[:, 1] ** 2 > 0.5, "yes", "no")
TARGETS = MANY @ [1.0, 2.0, 3.0] + np.sin(9 * MANY[:, 0])


def again(model, y, keep):
    """What a metric is given in a trial, and what it is given of what was kept of it."""
    model.fit(MANY, y)
    context = MetricContext(model=model, X=MANY, y=y, predictions=model.predict(MANY), truth={}, y_train=y)
    return context, stored_context(outcomes_of(context, ROWS, False, keep))


def test_the_model_answers_again_and_what_it_has_not_it_has_not_afterwards():
    before, after = again(LogisticRegression(), WORDS, "scores")
    assert np.array_equal(after.y, WORDS)
    assert np.array_equal(after.predictions, before.predictions)
    for name in ("decision_function", "predict_proba"):
        assert np.array_equal(getattr(after.model, name)(None), getattr(before.model, name)(MANY))
    assert list(after.model.classes_) == ["no", "yes"]
    assert not hasattr(again(RidgeClassifier(), WORDS, "scores")[1].model, "predict_proba")
    assert not hasattr(again(LogisticRegression(), WORDS, "labels")[1].model, "decision_function")


def test_losses_alone_give_predictions_with_these_losses():
    before, after = again(LogisticRegression(), WORDS, "losses")
    assert np.array_equal(after.predictions != after.y, before.predictions != WORDS)
    before, after = again(LinearRegression(), TARGETS, "losses")
    assert np.allclose((after.predictions - after.y) ** 2, (before.predictions - TARGETS) ** 2, rtol=1e-6)


def test_what_the_adversary_changed_is_told_gap_for_gap():
    before = MANY.copy()
    before[0, 0] = np.nan
    attacked = before.copy()
    attacked[1, 2] = np.nan
    attacked[2, 1] += 1
    y = MANY[:, 1]
    kept = MetricContext(model=LinearRegression(), X=attacked, y=y, predictions=y, truth={}, uncorrupted=before)
    assert np.argwhere(outcomes_of(kept, ROWS, True, "scores").changed).tolist() == [[1, 2], [2, 1]]
    assert outcomes_of(kept, ROWS, False, "scores").changed is None
    assert outcomes_of(kept, ROWS, True, "none") is None
