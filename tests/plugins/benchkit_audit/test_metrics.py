"""The metric that matters: as scikit-learn computes it, with intervals by rows, and what it says of a rare class."""

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn import metrics as of_sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDRegressor
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV

import benchkit
from benchkit import RequestError
from benchkit_audit.guard import guard_list
from benchkit_audit.metrics import Asked, choose_metric, known_metric, trained_loss
from benchkit_audit.model import Answers
from benchkit_audit.subject import Subject
from tests.conftest import load_script
from tests.plugins.benchkit_audit.conftest import finding

N, SUITES = 80, Path(__file__).parents[3] / "suites"


def rows():
    random = np.random.default_rng(0)
    truth = (random.random(N) < 0.2).astype(int)
    score = 1 / (1 + np.exp(-(1.5 * truth + random.normal(size=N) - 1).round(1)))  # with ties
    return truth, Answers((score > 0.5).astype(int), np.column_stack([1 - score, score]))


def metric(name, **asked):
    return choose_metric(Asked(name, **asked), "classification", ("0", "1"), np.array([0, 1]), "probabilities", "")


def leaving_one_out(judge, truth, told, **weights):
    rows = [np.delete(np.arange(N), place) for place in range(N)]
    return [judge(truth[kept], told[kept], **{key: each[kept] for key, each in weights.items()}) for kept in rows]


OF_SCORE = ("balanced_accuracy", "recall", "precision", "f1", "roc_auc", "average_precision")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "judge"),
    [
        ("error", of_sklearn.zero_one_loss),
        *((name, getattr(of_sklearn, f"{name}_score")) for name in OF_SCORE),
        ("log_loss", of_sklearn.log_loss),
        ("brier", of_sklearn.brier_score_loss),
        ("matthews_corrcoef", of_sklearn.matthews_corrcoef),
        ("f1_macro", lambda *given, **more: of_sklearn.f1_score(*given, average="macro", **more)),
        (of_sklearn.cohen_kappa_score, of_sklearn.cohen_kappa_score),
    ],
)
def test_values_by_row_have_the_metric_as_mean_and_the_jackknife_as_variance(name, judge, weighted):
    truth, answers = rows()
    weights = np.random.default_rng(1).integers(1, 4, N).astype(float) if weighted else np.ones(N)
    by_score = name in ("roc_auc", "average_precision", "log_loss", "brier")
    told = answers.scores[:, 1] if by_score else answers.predictions
    own = metric(name)
    values = own.values(truth, answers, weights)
    assert own.score(values.mean()) == pytest.approx(judge(truth, told, sample_weight=weights))
    assert own.loss(truth, answers, weights) == pytest.approx(values.mean())
    without = leaving_one_out(judge, truth, told, sample_weight=weights)
    assert values.var() / N == pytest.approx(np.var(without) * (N - 1), rel=0.4 if own.quick else 0.2)


def test_costs_name_the_label_that_may_be_missed():
    asked = ("classification", ("fraud", "ok"), np.arange(40) % 2, "", "")
    assert choose_metric(Asked(cost="False alarm: 1, missed FRAUD: .5"), *asked).case == 0


def test_numbers_and_costs_are_those_of_pandas_and_scikit_learn():
    random = np.random.default_rng(0)
    y = random.normal(10, 2, N)
    answers = Answers(y + random.normal(size=N), None)
    for name, judge in (
        ("absolute", of_sklearn.mean_absolute_error),
        ("squared", of_sklearn.mean_squared_error),
        ("r2", of_sklearn.r2_score),
        ("mape", of_sklearn.mean_absolute_percentage_error),
        ("rmse", of_sklearn.root_mean_squared_error),
    ):
        own = choose_metric(Asked(name), "regression", (), y, "", "")
        assert own.score(own.values(y, answers, np.ones(N)).mean()) == pytest.approx(judge(y, answers.predictions))
    own = choose_metric(Asked("rmse"), "regression", (), y, "", "")
    without = leaving_one_out(of_sklearn.root_mean_squared_error, y, answers.predictions)
    assert own.values(y, answers, np.ones(N)).var() / N == pytest.approx(np.var(without) * (N - 1), rel=0.1)
    truth, answers = rows()
    table = pd.crosstab(truth, answers.predictions)
    # Of three classes, of which the model gives two.
    three, names = np.arange(N) % 3, ("a", "b", "c")
    scores = np.column_stack([answers.scores, np.zeros(N)])
    for name, judge in (("log_loss", of_sklearn.log_loss), ("brier", of_sklearn.brier_score_loss)):
        own = choose_metric(Asked(name), "classification", names, three, "probabilities", "")
        assert own.loss(three, answers, np.ones(N)) == pytest.approx(judge(three, scores))
    own = metric(None, cost="missed: 100, false alarm: 1")
    assert own.loss(truth, answers, np.ones(N)) == pytest.approx((100 * table.loc[1, 0] + table.loc[0, 1]) / N)


@pytest.fixture(scope="module")
def calibrations():
    module = load_script(SUITES / "audit_calibrations.py")
    module.POPULATION = 100_000
    return module


@pytest.mark.parametrize(
    ("name", "design"),
    [
        ("error", "groups"),
        ("recall", "groups"),
        ("f1", "weights"),
        ("roc_auc", "rows"),
        ("average_precision", "weights"),
        ("cost", "rows"),
    ],
)
def test_intervals_of_a_loss_and_of_its_rises_cover(calibrations, name, design):
    """A small version of `bench-audit`."""
    pools = 60
    seldom = 0.95 - 3.1 * math.sqrt(0.95 * 0.05 / pools)  # seen in one of a thousand such tests
    assert calibrations.calibrate(name, 500, 0.2, design, pools, 1) >= seldom


@pytest.mark.parametrize(("name", "true"), [("squared", 5 / 3), ("rmse", math.sqrt(5 / 3))])
def test_intervals_of_squares_cover_though_few_large_errors_make_most_of_them(name, true):
    """Of Student's t with five degrees of freedom intervals that are symmetric hold the truth in 90 %."""
    random, own, held, n = np.random.default_rng(1), known_metric(name), [], 200
    for _ in range(600):
        subject = Subject(None, [], False, "regression", random.standard_t(5, n), metric=own)
        interval = subject.losses(Answers(np.zeros(n), None), np.arange(n)).estimate()
        held.append(interval.low <= true <= interval.high)
    assert np.mean(held) > 0.91


def answered(predicted):
    return Answers(predicted, np.column_stack([1.0 - predicted, predicted]))


@pytest.mark.parametrize("name", ["error", "balanced_accuracy", "recall", "f1", "matthews_corrcoef", "roc_auc"])
@pytest.mark.parametrize("grouped", [False, True])
def test_rows_that_are_all_alike_do_not_prove_that_all_others_are(name, grouped):
    """Of 243 rows, 40 of them positive, none is wrong: Wilson's interval of those of the class that has fewest."""
    truth, groups = np.repeat([0, 1], [203, 40]), np.arange(243) // 5 if grouped else None
    subject = Subject(None, [], False, "classification", truth, ("0", "1"), groups=groups)
    right, half = (subject.losses(answered(each), np.arange(243), metric(name)) for each in (truth, 1 - truth))
    n = len(np.unique(np.arange(243)[truth == 1] // 5)) if grouped else 40
    n = n if name != "error" else 49 if grouped else 243
    told, z = right.estimate(), 1.959964
    assert (told.value, told.low) == (pytest.approx(0), pytest.approx(0, abs=1e-9))
    assert told.high == pytest.approx(right.most * z**2 / (n + z**2))
    assert half.estimate().low < half.estimate().high == pytest.approx(half.most)
    # Nor that two models which are right there are always alike.
    assert right.less(right).low < -0.5 / n < 0 < 0.5 / n < right.less(right).high


@pytest.mark.parametrize(
    ("name", "found", "of"), [("recall", 1, 53), ("recall", 3, 5), ("precision", 28, 30), ("precision", 9, 12)]
)
def test_a_share_of_few_rows_has_wilsons_interval_and_its_rise_that_of_shares_of_the_same_rows(name, found, of):
    truth, others = np.repeat([0, 1], [600, of]), np.repeat([0, 1], [600, of])
    others[600 : 600 + of - found] = 0
    truth, told = (truth, others) if name == "recall" else (others, truth)
    subject = Subject(None, [], False, "classification", truth, ("0", "1"))
    losses = subject.losses(answered(told), np.arange(len(truth)), metric(name))
    estimate, wilson = losses.estimate(), binomtest(found, of).proportion_ci(method="wilson")
    assert (1 - estimate.high, 1 - estimate.low) == pytest.approx((wilson.low, wilson.high))
    if name == "precision" and of < 20:
        assert losses.few == f"too few positives ({found}) for an interval of what a loss costs"
    if name == "recall":
        rise = subject.losses(answered(0 * told), np.arange(len(truth)), metric(name)).less(losses)
        assert rise.value == pytest.approx(found / of)
        assert -0.2 < rise.low < found / of < rise.high < 1


def test_the_interval_of_a_model_worse_than_the_mean_holds_its_r2(audit_parts):
    X = table = pd.DataFrame({"a": np.random.default_rng(0).normal(size=200)})
    report = audit_parts("", lambda frame: -frame["a"], X, table["a"], metric="r2")
    value, low, high = map(float, re.search(r"R² (-[\d.]+) \[(-[\d.]+), (-[\d.]+)\]", report.paragraph).groups())
    assert value == pytest.approx(of_sklearn.r2_score(X["a"], -X["a"]), abs=1e-3)
    assert low <= value <= high


def frauds(n, seed):
    """Few frauds: f2 shows most of them, f7 is what the many others differ by; f4 and f5 stand in for each other."""
    random = np.random.default_rng(seed)
    fraud = random.random(n) < 0.03
    X = pd.DataFrame(random.normal(size=(n, 8)), columns=[f"f{j}" for j in range(8)])
    kind = random.random(n)
    X["f2"] += np.where(fraud & (kind < 0.7), 3.5, 0)
    X["f7"] += np.where(fraud, 0.8, 0)
    shared = random.normal(size=n) + np.where(fraud & (kind > 0.3), 3.5, 0)
    X["f4"], X["f5"] = shared, shared + random.normal(0, 0.1, n)
    return X, np.where(fraud, "fraud", "fine")


@pytest.fixture(scope="module")
def forest():
    X, y = frauds(6000, 0)
    return RandomForestClassifier(15, class_weight="balanced", min_samples_leaf=5, random_state=0).fit(X, y)


def test_a_rare_class_is_audited_by_its_average_precision_and_names_what_decides_its_recall(audit_parts, forest):
    X, y = frauds(3000, 1)
    report = audit_parts("columns", forest, X, y)
    assert report.outcome.subject.metric.name == "average_precision"
    assert "% of the rows are 'fraud'" in report.paragraph
    first, lost = report.guard.iloc[0], X.assign(f2=np.nan)
    assert (first["lost"], first["decided"]) == ("f2", True)
    scores = (forest.predict_proba(each)[:, 1] for each in (X, lost))
    before, after = (of_sklearn.average_precision_score(y == "fraud", each) for each in scores)
    assert first["cost"] == pytest.approx(before - after)
    recall = of_sklearn.recall_score(y, forest.predict(lost), pos_label="fraud")
    assert report.outcome.columns[0].beside["recall of 'fraud'"] == pytest.approx(recall)


def test_few_positives_have_no_interval_and_decide_nothing(audit_parts, forest):
    X, y = frauds(4000, 4)
    few = np.flatnonzero(y == "fraud")[12:]
    report = audit_parts("columns", forest, X.drop(index=few), np.delete(y, few))
    # Joined again: a long sentence is folded where the table beside it ends.
    assert "few positives (12)" in " ".join(str(report).split())
    assert not report.guard["decided"].any()
    assert report.judge("column-loss > 0")[0].verdict == "not decided"


def test_metrics_by_default_those_that_are_refused_for_numbers_and_that_rounding_costs_nothing(audit_parts):
    truth = np.repeat([0, 1], [95, 5])
    of_scores = choose_metric(Asked(), "classification", ("0", "1"), truth, "scores", "")
    assert (of_scores.name, of_scores.case) == ("average_precision", 1)
    assert choose_metric(Asked(), "classification", ("0", "1"), truth, "", "").name == "balanced_accuracy"
    assert choose_metric(Asked(), "classification", ("0", "1"), np.repeat([0, 1], [89, 11]), "", "").name == "error"
    X = np.random.default_rng(0).normal(size=(100, 2))
    searched = GridSearchCV(LinearRegression(), {}, cv=2).fit(X, X[:, 0])
    squared = audit_parts("", searched, X, X[:, 0] + X[:, 1])
    assert squared.outcome.subject.metric.name == "squared"
    told = re.search(r"root mean squared error is ([\d.]+) \[([\d.]+), ([\d.]+)\]", squared.paragraph)
    value, low, high = map(float, told.groups())
    assert low < value < high
    assert value == pytest.approx(np.sqrt(np.square(X[:, 1]).mean()), abs=0.01)
    assert squared.outcome.beside["root mean squared error"] == pytest.approx(squared.outcome.root.value)
    assert not trained_loss(SGDRegressor("reg:squaredlogerror"))
    model = LinearRegression().fit(X, X[:, 0])
    for name, message in (("recall", "no 'recall'"), ("accuracy", "no 'accuracy'"), ("f1_macro", "no score of this")):
        with pytest.raises(RequestError, match=message):
            benchkit.audit(model, X, X[:, 0], metric=name)
    outcome = audit_parts("columns", model, X, X[:, 0], fill="zero").outcome
    assert [entry.lost for entry in guard_list(outcome)] == [("x0",)]


def two_columns(n):
    """Of which one decides, with noise, and a model of them."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(n, 2)), columns=["a", "b"])
    y = np.where(X["a"] + random.logistic(size=n) > 0, "yes", "no")
    return X, y, LogisticRegression().fit(X, y)


@pytest.mark.parametrize(("missed", "alarm"), [(5, 1), (1, 5)])
def test_a_threshold_that_costs_less_is_advised_whether_it_is_lower_or_higher(audit_parts, missed, alarm):
    cost = f"missed: {missed}, false alarm: {alarm}"
    X, y, model = two_columns(4000)
    report = audit_parts("columns pairs faults", model, X, y, cost=cost, fill="mean")
    (best,) = report.outcome.thresholds
    # By decision theory: the cost of a false alarm over that of both mistakes.
    assert best.value == pytest.approx(alarm / 6, abs=0.06)
    assert best.gain.low > 0
    assert best.gain.n == 2000
    assert f"probability of {best.value:.3g} on" in finding(report, "BK015").text
    assert finding(audit_parts("", model, X, y, cost=cost, threshold=best.value), "BK015").level == "passed"
    assert not audit_parts("", model, X, y).outcome.thresholds


def test_no_threshold_is_advised_that_costs_more_than_the_constant_answer(audit_parts):
    X, y, model = two_columns(900)
    y = np.where(np.random.default_rng(1).random(900) < 0.05, "yes", "no")
    report = audit_parts("", model, X, y, cost="missed: 100, false alarm: 1")
    (best,) = report.outcome.thresholds
    assert best.now.value > best.now.value - best.gain.value > report.outcome.constant.value
    assert finding(report, "BK015").text == "No threshold was found that costs less than the constant answer 'yes'."


def test_four_copies_of_a_row_tell_no_more_than_one_of_a_group_and_weights_and_thresholds_count(audit_parts):
    X, y, model = two_columns(400)
    groups = np.tile(np.arange(400), 4)
    copied = audit_parts("columns slices", model, pd.concat([X] * 4), np.tile(y, 4), fill="mean", groups=groups).outcome
    once = audit_parts("columns slices", model, X, y, fill="mean").outcome
    for copies, one in ((copied.before, once.before), (copied.slices[0].mean, once.slices[0].mean)):
        assert copies.high - copies.low == pytest.approx(one.high - one.low, rel=0.05)
    weights = np.random.default_rng(1).integers(0, 3, 400)
    report = audit_parts("", model, X, y, weights=weights)
    assert report.outcome.before.value == pytest.approx(1 - model.score(X, y, sample_weight=weights))
    report, each = audit_parts("", model, X, y, metric="log_loss", weights=weights), np.repeat(y == "yes", weights)
    assert report.outcome.constant.value == pytest.approx(of_sklearn.log_loss(each, np.full(len(each), each.mean())))
    report, each = audit_parts("", lambda frame: frame["a"], X, X["b"], weights=weights), np.repeat(X["b"], weights)
    assert report.outcome.constant.value == pytest.approx((each - each.median()).abs().mean())
    report = audit_parts("", model, X, y, metric="recall", positive="no", threshold=0.8)
    chosen = model.predict_proba(X)[:, 0] >= 0.8
    assert 1 - report.outcome.before.value == pytest.approx(chosen[y == "no"].mean())
    own = FixedThresholdClassifier(model, threshold=0.2).fit(X, y)
    X, y = (each[own.predict(X) == model.predict(X)] for each in (X, y))  # where a is there the larger one decides
    report = audit_parts("columns", own, X, y, fill="zero")
    assert report.outcome.columns[0].losses.values.mean() == pytest.approx(1 - own.score(X.assign(a=0.0), y))


@pytest.mark.parametrize(("labels", "positive"), [("ab", "a"), ([1, 2], 2), ([0, 1], 0), ([False, True], True)])
@pytest.mark.parametrize("named", [True, False])
def test_a_scorer_that_was_made_for_one_label_gets_the_labels_of_the_file(audit_parts, labels, positive, named):
    """Or the label is given beside it, where the scorer looks for 1."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    y = np.array([*labels])[(X["a"] + X["b"] > 1).astype(int)]
    model = LogisticRegression().fit(X[["a"]].assign(b=0), y)
    scorer = of_sklearn.make_scorer(of_sklearn.fbeta_score, beta=2, **({"pos_label": positive} if named else {}))
    report = audit_parts("", model, X, y, metric=scorer, positive=None if named else positive)
    told = of_sklearn.fbeta_score(y, model.predict(X), beta=2, pos_label=positive)
    assert report.to_dict()["metric"] == {"name": "fbeta score", "why": "", "score": pytest.approx(told)}
    average = of_sklearn.make_scorer(of_sklearn.f1_score, average="macro", pos_label=None, greater_is_better=False)
    macro = audit_parts("", model, X, y, metric=average).to_dict()["metric"]["score"]
    assert macro == pytest.approx(of_sklearn.f1_score(y, model.predict(X), average="macro"))


def test_rows_of_weight_0_change_nothing():
    """Also where the highest scores are theirs, of which no share can be positive."""
    random = np.random.default_rng(3)
    truth, scores = random.integers(0, 2, 200), random.random(200)
    weights = np.where(scores > 0.9, 0.0, random.random(200))
    answers = Answers(np.zeros(200, dtype=int), np.column_stack([1 - scores, scores]))
    metric = known_metric("average_precision", 1, "1")
    some = weights > 0
    alone = metric.loss(truth[some], answers.rows(some), weights[some])
    assert metric.loss(truth, answers, weights) == pytest.approx(alone)
