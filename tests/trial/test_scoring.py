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


def prepared():
    data = {
        "train": PART,
        "budget": 2.0,
        "values": np.ones(1),
        "truth": {"of": "data", "rows": 4},
        "data": SimpleNamespace(groups=()),
    }
    return SimpleNamespace(**data)


def judge(model, *metrics, truth=None):
    return score(metrics, ask(model, PART, PART, prepared(), truth or {}, {}))


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


def test_a_metric_of_another_task_and_one_that_returns_no_number():
    with pytest.raises(NotApplicableError, match="share-wrong does not judge regression"):
        judge(DummyRegressor().fit(X, Y), ERROR)
    reasons = {}
    both = [ERROR, Metric(name="far", compute=lambda context: 1.0, tasks=("classification", "regression"))]
    scores = score(both, ask(DummyRegressor().fit(X, Y), PART, PART, prepared(), {}, {}), reasons)
    assert scores["far"] == 1.0
    assert np.isnan(scores["share-wrong"])
    assert reasons == {"share-wrong": "metric share-wrong does not judge regression"}
    with pytest.raises(TypeError, match="metric words returned 'good', expected a number"):
        judge(predicting(Y), Metric(name="words", compute=lambda context: "good"))


def test_a_metric_cannot_change_what_others_judge():
    def writes(context):
        context.predictions[:] = -1
        return 0.0

    predictions = np.array([-1, 1, 1, 1])
    with pytest.raises(ValueError, match="metric writes writes to the data it is given .*: let it work on a copy"):
        judge(predicting(predictions), Metric(name="writes", compute=writes), ERROR)
    assert predictions.tolist() == [-1, 1, 1, 1]


@pytest.mark.parametrize("value", [7.0, -0.1, np.inf])
def test_a_value_outside_the_declared_range_is_refused(value):
    metric = Metric(name="share", compute=lambda context: value, range=(0, 1))
    with pytest.raises(ValueError, match="metric share is .*, outside the range 0 to 1 that it declares"):
        judge(predicting(Y), metric)


def test_a_record_says_whose_code_raised():
    for raised, message in (
        (ZeroDivisionError("no rows"), "metric f2: no rows"),
        (NotApplicableError("no classes"), "no classes"),
    ):
        with pytest.raises(type(raised)) as caught, blamed_on("metric f2"):
            raise raised
        assert with_blame(pickle.loads(pickle.dumps(caught.value))) == message  # as workers send it


ROWS = np.arange(40) * 2


def judged(model, y, X):
    model.fit(X, y)
    return MetricContext(model=model, X=X, y=y, predictions=model.predict(X), truth={}, uncorrupted=X, y_train=y)


@pytest.fixture
def many():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.fixture
def words(many):
    return np.where(many[:, 0] + many[:, 1] ** 2 > 0.5, "yes", "no")


def test_the_model_answers_again(many, words):
    context = judged(LogisticRegression(), words, many)
    again = stored_context(outcomes_of(context, ROWS, False, "scores"))
    assert np.array_equal(again.y, words)
    assert np.array_equal(again.predictions, context.predictions)
    assert np.array_equal(again.model.decision_function(None), context.model.decision_function(many))
    assert np.array_equal(again.model.predict_proba(None), context.model.predict_proba(many))
    assert list(again.model.classes_) == ["no", "yes"]


def test_what_a_model_has_not_it_has_not_afterwards(many, words):
    again = stored_context(outcomes_of(judged(RidgeClassifier(), words, many), ROWS, False, "scores"))
    assert not hasattr(again.model, "predict_proba")
    labels = stored_context(outcomes_of(judged(LogisticRegression(), words, many), ROWS, False, "labels"))
    assert not hasattr(labels.model, "decision_function")


def test_losses_alone_give_predictions_with_these_losses(many, words):
    context = judged(LogisticRegression(), words, many)
    again = stored_context(outcomes_of(context, ROWS, False, "losses"))
    assert np.array_equal(again.predictions != again.y, context.predictions != words)
    target = many @ [1.0, 2.0, 3.0] + np.sin(9 * many[:, 0])
    context = judged(LinearRegression(), target, many)
    again = stored_context(outcomes_of(context, ROWS, False, "losses"))
    assert np.allclose((again.predictions - again.y) ** 2, (context.predictions - target) ** 2, rtol=1e-6)


def test_what_the_adversary_changed_is_told_gap_for_gap(many):
    before = many.copy()
    before[0, 0] = np.nan
    attacked = before.copy()
    attacked[1, 2] = np.nan
    attacked[2, 1] += 1
    y = many[:, 1]
    kept = MetricContext(model=LinearRegression(), X=attacked, y=y, predictions=y, truth={}, uncorrupted=before)
    assert np.argwhere(outcomes_of(kept, ROWS, True, "scores").changed).tolist() == [[1, 2], [2, 1]]
    assert outcomes_of(kept, ROWS, False, "scores").changed is None


def test_nothing_is_kept_where_nothing_is_wanted(many, words):
    assert outcomes_of(judged(LogisticRegression(), words, many), ROWS, False, "none") is None
