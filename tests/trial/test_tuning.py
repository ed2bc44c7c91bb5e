"""How parameters are searched; a model is judged on what it predicts, and what is kept of rows says that again."""

import math
import pickle
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier

from benchkit import Metric, NotApplicableError
from benchkit.plugin.declarations.exchanged import Distribution, TuningContext
from benchkit.plugin.guard import blamed_on, with_blame
from benchkit.plugin.manager import registry
from benchkit.suite.expand import expand
from benchkit.suite.load import load
from benchkit.trial import seeds
from benchkit.trial.prepared import Part, prepare
from benchkit.trial.rows import outcomes_of, stored_context
from benchkit.trial.scoring import ask, score
from benchkit.trial.searches import grid_search, random_search, successive_halving
from benchkit.trial.tuning import MOST, JudgedCandidate, best_of, first_rows, held_parts, to_record
from tests.attacks import judged


def asked(search, values, candidates=None, n_rows=900):
    """What a search asks, of which the loss is |a - 5|."""
    asked = []

    def judge(candidates, rows=None):
        asked.extend((each["a"], rows) for each in candidates)
        return [abs(each["a"] - 5) for each in candidates]

    grid = None if isinstance(values, Distribution) else [{"a": value} for value in values]
    search(TuningContext({"a": values}, grid, candidates, n_rows, 3, judge))
    return asked


@pytest.mark.parametrize(
    ("candidates", "n_rows", "expected"),
    [
        (3, 900, {900: 3}),
        (10, 900, {100: 10, 300: 4, 900: 2}),
        (27, 900, {100: 27, 300: 9, 900: 3}),
        (27, 100, {30: 27, 34: 9, 100: 3}),  # no round below 30 rows
    ],
)
def test_halving_keeps_the_best_third_and_triples_the_rows(candidates, n_rows, expected):
    judged = asked(successive_halving(), list(range(candidates)), n_rows=n_rows)
    assert Counter(rows for _, rows in judged) == expected
    if candidates == 27:
        assert {a for a, _ in judged[27:36]} == set(range(1, 10))  # the nine nearest to 5
        assert [a for a, _ in judged[36:]] == [5, 4, 6]  # best first, the earlier of equals first


def test_random_draws_lists_without_replacement_and_distributions_within_their_support():
    assert len({a for a, _ in asked(random_search(), list(range(50)), candidates=10)}) == 10
    numbers = [a for a, _ in asked(random_search(), Distribution("loguniform", (0.01, 100)), candidates=200)]
    drawn = np.log10(numbers)
    assert -2 <= drawn.min() < -1.9 < 1.9 < drawn.max() <= 2
    assert abs(np.mean(drawn)) < 0.3  # log-uniform: as many decades below 1 as above
    assert {type(a) for a in numbers} == {float}
    for search in (grid_search(), random_search()):  # a grid that is no larger than the draws is tried in order
        assert [a for a, _ in asked(search, [3, 1, 2], candidates=10)] == [3, 1, 2]


def tried(*losses, rows=10):
    return [JudgedCandidate({"a": place}, loss, 0.1, 0.1 * place, rows) for place, loss in enumerate(losses)]


def test_the_best_is_of_those_on_the_most_rows_and_the_record_keeps_what_was_better():
    kept = [*tried(0.0, 0.1, rows=5), *tried(math.nan, 0.4, 0.3, 0.3, rows=10)]
    assert best_of(kept).params == {"a": 2}
    assert best_of(tried(math.nan)) is None
    losses = [1.0] * (MOST + 50)
    losses[MOST + 10] = 0.5
    record = to_record(tried(*losses), sign=-1.0)
    assert (record["judged"], record["left_out"]) == (MOST + 50, 49)
    assert len(record["values"]) == len(record["scores"]) == len(record["spent"]) == MOST + 1
    assert record["values"][-1] == [MOST + 10]
    assert record["scores"][-1] == -0.5


def test_fewer_rows_are_nested_and_keep_every_class():
    y = np.repeat([0, 1, 2], [90, 9, 1])
    X = np.arange(2.0 * len(y)).reshape(-1, 2)
    whole, sizes = Part(X, y, X), [3, 10, 40, 99]
    taken = [{tuple(row) for row in first_rows(whole, size, True, 1).X} for size in sizes]
    assert [len(rows) for rows in taken] == sizes
    assert all(fewer < more for fewer, more in pairwise(taken))
    small = first_rows(whole, 40, True, 1)
    assert set(small.y) == {0, 1, 2}
    assert 30 <= (small.y == 0).sum() <= 37
    assert first_rows(whole, 100, True, 1) is whole


@pytest.fixture
def tuned(tiny, run_trials):
    """The record of a trial that tunes, and its stage."""

    def run(tune, **changes):
        tiny.update({"algorithms": [{"name": "svm", "tune": tune}], "adversaries": [], **changes})
        tiny["split"] = {"repetitions": 1, "train": 90, "validation": 60, "test": 60, **changes.get("split", {})}
        (record,) = run_trials(tiny)
        assert record["status"] == "ok", record["error"]
        return record, record["tuning"][0]

    return run


@pytest.mark.parametrize(("metric", "choose"), [("error", min), ("accuracy", max)])
def test_the_record_holds_every_candidate_with_score_and_cost(tuned, metric, choose):
    record, stage = tuned({"grid": {"C": [0.001, 0.1, 10]}, "metric": metric})
    facts = {"search": "grid", "judged_on": "validation", "metric": metric, "limit": None, "stopped": False}
    facts |= {"judged": 3, "left_out": 0, "params": ["C"], "values": [[0.001], [0.1], [10]], "rows": [90] * 3}
    assert facts.items() <= stage.items()
    assert stage["spent"] == sorted(stage["spent"])
    # In between this process may have waited for others, however long. Seconds are kept to three digits.
    assert 0 < sum(stage["seconds"]) <= 1.01 * record["tune_seconds"]
    assert min(stage["scores"]) < max(stage["scores"])
    assert record["params"]["C"] == stage["values"][stage["scores"].index(choose(stage["scores"]))][0]


def test_of_a_parameter_that_two_stages_tune_the_later_says_whether_it_is_at_an_edge(tuned):
    first = {"grid": {"C": [1e-9, 1e-8, 1e-7], "tol": [1e-6, 1e-5, 1e-4]}}
    assert tuned(first)[0]["at_edge"] == {"C": "lowest", "tol": "lowest"}
    inner = tuned([first, {"grid": {"C": [1e-9, 1, 1000]}}])[0]
    assert inner["params"]["C"] == 1
    assert inner["at_edge"] == {"tol": "lowest"}


def test_the_first_metric_that_judges_the_data_chooses(tuned, tmp_path):
    classes = tuned({"grid": {"C": [0.1, 10]}}, metrics=["r2", "accuracy", "error"])
    assert classes[1]["metric"] == "accuracy"
    table = tmp_path / "numbers.csv"
    table.write_text("a,b,y\n" + "".join(f"{n % 7}.5,{n % 11}.5,{n % 7 + n % 5}.25\n" for n in range(210)))
    numbers = {"datasets": [{"name": "csv-regression", "path": str(table), "target": "y"}]}
    numbers["algorithms"] = [{"name": "lasso", "tune": {"grid": {"alpha": [0.1, 10]}}}]
    assert tuned(None, metrics=["error", "r2", "mean-absolute-error"], **numbers)[1]["metric"] == "r2"


def test_scores_are_what_the_chosen_parameters_give_on_the_validation_part(tuned, tiny, write_suite):
    """Independent: the same split and preprocessing by hand, scored by scikit-learn."""
    _, stage = tuned({"grid": {"C": [0.001, 10]}, "folds": 4})
    (trial,) = expand(load(write_suite(tiny)), registry())
    prepared = prepare(trial)
    svm = registry().algorithms["svm"]
    seed = seeds.integer(trial.seed, "tuning", trial.dataset.identity, 0, "svm", 0)
    for (C,), known in zip(stage["values"], stage["scores"], strict=True):
        errors = []
        for train, held_out, _ in held_parts(prepared, 4, True, seed):
            model = svm.make(C=C).fit(train.X, train.y)
            errors.append(np.mean(model.predict(held_out.X) != held_out.y))
        assert known == pytest.approx(np.mean(errors), abs=1e-6)


@pytest.mark.parametrize(
    ("tune", "changes", "expected"),
    [
        ({"folds": 3, "data": "corrupted", "candidates": 4}, {}, (4, False, "3 folds", {60})),
        ({"candidates": 50}, {"tuning_seconds": 1e-9}, (1, True, "validation", {90})),  # one is always judged
        ({"candidates": 50}, {"tuning_seconds": 3600.0}, (50, False, "validation", {90})),
    ],
)
def test_folds_need_no_validation_part_and_a_budget_of_seconds_stops_the_search(tuned, tune, changes, expected):
    tune = {"search": "random", "space": {"C": {"loguniform": [0.001, 10]}}, **tune}
    if "folds" in tune:
        changes = {"adversaries": [{"name": "greedy-delete", "budgets": [2]}], "split": {"validation": None}}
    _, stage = tuned(tune, **changes)
    assert (stage["judged"], stage["stopped"], stage["judged_on"], set(stage["rows"])) == expected
    assert stage["limit"] == changes.get("tuning_seconds")
    assert expected[1] or stage["spent"][-1] < 3600


Y = np.array([-1, -1, 1, 1])
X = np.arange(4.0)[:, None]
PART = Part(X, Y, X)
ERROR = Metric(name="share-wrong", compute=lambda context: np.mean(context.predictions != context.y))
TRUTH, GROUPS = {"of": "data", "rows": 4}, SimpleNamespace(groups=())
SHARED = {"train": PART, "budget": 2.0, "budget_unit": "value", "values": np.ones(1)}
PREPARED = SimpleNamespace(**SHARED, truth=TRUTH, data=GROUPS)


def judge(model, *metrics, truth=None):
    return score(metrics, ask(model, PART, PART, PREPARED, truth or {}, {}))


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


def giving(value):
    return Metric(name="share", compute=lambda context: value, range=(0, 1))


@pytest.mark.parametrize(
    ("predictions", "metric", "reason"),
    [
        (np.array([-1, 1]), ERROR, r"shape \(2,\) for 4 rows"),
        (np.array([1.0, np.nan, 1.0, 1.0]), ERROR, "not finite"),
        (np.array([0, 1, 1, 1]), ERROR, "predict returned 0, which is none of the classes: -1, 1"),
        (Y, giving(7.0), "metric share is 7, outside the range 0 to 1"),
        (Y, giving(np.inf), "metric share is inf, outside the range"),
        (Y, giving("good"), "metric share returned 'good'"),
    ],
)
def test_predictions_that_cannot_be_judged_and_values_that_are_no_judgement(predictions, metric, reason):
    with pytest.raises((TypeError, ValueError), match=reason):
        judge(predicting(predictions), metric)


def test_a_metric_of_another_task():
    with pytest.raises(NotApplicableError, match="share-wrong does not judge regression"):
        judge(DummyRegressor().fit(X, Y), ERROR)
    both = [ERROR, Metric(name="far", compute=lambda context: 1.0, tasks=("classification", "regression"))]
    scores = judge(DummyRegressor().fit(X, Y), *both)
    assert scores.values["far"] == 1.0
    assert np.isnan(scores.values["share-wrong"])
    assert scores.reasons == {"share-wrong": "metric share-wrong does not judge regression"}


def test_a_metric_cannot_change_what_others_judge():
    def writes(context):
        context.predictions[:] = -1

    predictions = np.array([-1, 1, 1, 1])
    with pytest.raises(ValueError, match="metric writes writes to the data it is given .*: let it work on a copy"):
        judge(predicting(predictions), Metric(name="writes", compute=writes))
    assert predictions.tolist() == [-1, 1, 1, 1]


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
    context = judged(model, MANY, y, y_train=y)
    return context, stored_context(outcomes_of(context, ROWS, False, keep))


def test_the_model_answers_again_with_what_it_had_and_losses_alone_with_these_losses():
    before, after = again(LogisticRegression(), WORDS, "scores")
    assert np.array_equal(after.y, WORDS)
    assert np.array_equal(after.predictions, before.predictions)
    for name in ("decision_function", "predict_proba"):
        assert np.array_equal(getattr(after.model, name)(None), getattr(before.model, name)(MANY))
    assert list(after.model.classes_) == ["no", "yes"]
    assert not hasattr(again(RidgeClassifier(), WORDS, "scores")[1].model, "predict_proba")
    assert not hasattr(again(LogisticRegression(), WORDS, "labels")[1].model, "decision_function")
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
    kept = judged(LinearRegression(), attacked, y, y, uncorrupted=before)
    assert np.argwhere(outcomes_of(kept, ROWS, True, "scores").changed).tolist() == [[1, 2], [2, 1]]
    assert outcomes_of(kept, ROWS, False, "scores").changed is None
    assert outcomes_of(kept, ROWS, True, "none") is None
