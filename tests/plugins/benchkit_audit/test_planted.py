"""Faults that were planted are found, and what is sound is not accused."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import benchkit
from benchkit_audit.estimates import Estimate
from benchkit_audit.measure import LEAK
from benchkit_audit.pairs import LostPair
from tests.plugins.benchkit_audit.conftest import finding, table

N = 800


def level(report, code):
    return finding(report, code).level


def text(report, code):
    return finding(report, code).text


def noisy(labels, share=0.1, seed=1):
    flip = np.random.default_rng(seed).random(len(labels)) < share
    return np.where(flip, 1 - labels, labels)


def positive(*names):
    """A model of the sum of some columns, that reads a gap as 0."""
    return lambda frame: (frame.fillna(0.0)[list(names)].sum(axis=1) > 0).astype(int)


def test_a_column_that_alone_decides(audit_parts):
    X = table()
    report = audit_parts("columns", positive("b"), X, noisy((X["b"] > 0).astype(int)))
    assert level(report, "BK002") == level(report, "BK012") == "issue"
    assert report.outcome.columns[0].source == "b"
    assert "b alone decides" in text(report, "BK012")
    # The loss leaves the constant answer: right in half of the rows.
    assert report.measures["column-loss"].value == pytest.approx(0.4, abs=0.06)


def test_a_model_that_raises_at_a_gap(audit_parts):
    X = table()
    y = noisy((X["a"] > 0).astype(int))

    def model(frame):
        if frame["a"].isna().any():
            raise ValueError("a is missing\nin some row")
        return (frame["a"] > 0).astype(int)

    report = audit_parts("columns faults", model, X, y)
    assert level(report, "BK006") == "tip"
    assert "ValueError: a is missing in some row" in finding(report, "BK006").advice
    with pytest.raises(benchkit.RequestError, match="takes no gap in 'a'"):
        benchkit.audit(model, X, y, fill="gap")


@pytest.mark.parametrize("metric", ["error", "average_precision"])
@pytest.mark.parametrize("used", [True, False])
def test_a_leak_of_a_rare_class_stands_first_though_the_model_uses_other_columns(audit_parts, metric, used):
    """Where 2 % are positive a constant answer is right in 98 %: what the model gains over that is little."""
    X = table(n=2000)
    y = (np.arange(2000) % 50 == 0).astype(int)
    X["a"] += 4 * y
    X["paid"] = np.where(y, 40 + X["b"], 0.0)

    def model(frame):
        score = 1 / (1 + np.exp(12 - (frame["paid"].fillna(0.0) if used else 5 * frame["a"].fillna(0.0))))
        return np.column_stack([1 - score, score])

    report = audit_parts("columns", model, X, y, metric=metric, positive=1)
    assert level(report, "BK012") == "issue"
    assert text(report, "BK012") in report.steps[0]
    assert re.search(r"BK012|BK001|BK004", str(report)).group() == "BK012"


def test_a_leak_that_only_the_model_shows(audit_parts):
    """The column tells nine tenths of 5 % positives: a tree of it tells that, and that the model needs no other."""
    X = table(n=4000)
    y = noisy((X["a"] > 1.6).astype(int), 0.006)
    report = audit_parts("columns", lambda frame: (frame["a"] > 1.6).astype(int), X, y, metric="error")
    assert max(report.outcome.leaks.values()) < LEAK
    assert "a alone decides" in report.steps[0]
    report = audit_parts("columns", lambda frame: (frame["a"] + frame["b"] > 4).astype(int), X, y, metric="error")
    assert report.outcome.leaks.keys() == {"a"}
    assert level(report, "BK012") == "tip"


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_what_a_column_tells_of_the_target_is_as_much_as_a_line_of_it_does(audit_parts, gaps):
    """A large tree fits chance: it says 6 % of a, and none of what is true of all columns."""
    X = table(n=400, columns=2)
    y = (X["a"] + np.random.default_rng(2).logistic(size=400) > 0).astype(int)
    X["plan"] = np.where(noisy(y, 0.4), "gold", "basic")
    X["a"] = X["a"].mask(np.random.default_rng(3).random(400) < gaps)
    report = audit_parts("columns", lambda frame: (frame["a"] > 0).astype(int), X, y)
    line = cross_val_predict(LinearRegression(), X[["a"]].fillna(0.0), y)
    told = 1 - np.var(y - line) / np.var(y)
    assert report.outcome.told["a"] == pytest.approx(told, abs=0.03)
    assert told > report.outcome.told["plan"]
    assert f"alone explains about {100 * report.outcome.told['a']:.0f} % of what varies" in " ".join(report.steps)


def test_the_constant_answer_is_the_best_one_and_known_exactly(audit_parts):
    """Recall and F2 are best for always saying 1, which is no leak; Matthews' coefficient is 0 for any constant."""
    X = table(n=500, columns=1)
    y = noisy((X["a"] > 0.5).astype(int), 0.2)
    for metric in ("recall", make_scorer(fbeta_score, beta=2, pos_label=1)):
        report = audit_parts("columns", lambda frame: (frame["a"].fillna(9) > 1).astype(int), X, y, metric=metric)
        assert level(report, "BK012") == "not applicable"
    assert level(report, "BK001") == "issue"
    assert "the constant answer '1' has fbeta score 0.7" in report.paragraph
    assert level(audit_parts("", positive("a"), X, y, metric="matthews_corrcoef"), "BK001") == "passed"


def test_the_worst_of_columns_that_are_alike_is_not_chosen_by_the_rows_that_judge_it(audit_parts):
    given = [table(seed, 300, 8) for seed in range(10)]
    reports = [audit_parts("columns pairs sets", positive(*X), X, noisy(positive(*X)(X))) for X in given]
    costs = [report.measures["worst-2"].value for report in reports]
    assert np.mean(costs) == pytest.approx(0.8 * np.arccos(np.sqrt(6 / 8)) / np.pi, abs=0.02)


def test_a_sound_model_is_not_accused(audit_parts):
    X = table(columns=10)
    y = noisy((X.sum(axis=1) > 0).astype(int), 0.05)
    report = audit_parts("columns pairs faults", positive(*X), X, y)  # one column of ten is missed little
    assert [level(report, code) for code in ("BK001", "BK006", "BK012")] == ["passed"] * 3
    assert level(report, "BK003") != "issue"


def test_what_hits_some_rows_harder_is_named(audit_parts):
    X = table()
    X["state"] = np.where(np.arange(N) % 5 == 0, "NY", "CA")
    y = noisy((X["a"] > 0).astype(int), 0.05)
    report = audit_parts("slices", positive("a"), X, np.where(X["state"] == "NY", 1 - y, y))
    assert text(report, "BK011").startswith("Errors are more frequent where state = NY (")
    y = X["a"] + 3 * (X["b"] > 1) * X["b"]
    report = audit_parts("slices", lambda frame: frame["a"], X, y, metric="squared")
    assert text(report, "BK011").startswith("The mean squared error is larger where b ")


@pytest.mark.parametrize(
    ("stands_for", "centres", "said"),
    [
        (0.0, {"a": 50.0}, "as 0 or as a value below all others"),
        (0.0, {"a": 50.0, "b": 0.0}, "as 0"),
        (0.0, {"a": 50.0, "b": -50.0}, "as 0"),
        (-999.0, {"a": 50.0, "b": -50.0}, "as a value below all others"),
        (999.0, {"a": 50.0, "b": 0.0}, "as a value above all others"),
    ],
)
def test_zero_is_told_from_the_ends_by_columns_where_they_differ(audit_parts, stands_for, centres, said):
    """A value beyond all others answers as any other there: 0 is claimed only where no end explains all columns."""
    random = np.random.default_rng(1)
    X = pd.DataFrame({name: random.normal(centre, 5, N) for name, centre in centres.items()})

    def model(frame):  # of a range the two sides of one limit alone are told apart, as by a tree
        parts = [frame[name].fillna(stands_for) > centre - 3 for name, centre in centres.items()]
        return np.logical_or.reduce(parts).astype(int)

    assert f"It reads a gap {said}." in text(audit_parts("faults", model, X, model(X)), "BK007")


@pytest.mark.parametrize(("weight", "expected"), [(10.0, "issue"), (0.1, "passed")])
def test_a_gap_that_hardly_moves_a_number_is_no_issue(audit_parts, weight, expected):
    X = table()

    def model(frame):
        return 100 + 10 * frame["a"] + weight * frame["b"].fillna(0)

    assert level(audit_parts("faults", model, X, model(X)), "BK007") == expected


@pytest.mark.parametrize("of_mark", [1, 0])
def test_a_number_that_marks_what_is_missing_is_named_with_what_the_model_makes_of_it(audit_parts, of_mark):
    """Of the rows that are marked all are 1; beside the mark the mean gives the other answer."""
    X = table(n=1000, columns=2)
    X["a"], marked = X["a"] + 9, np.random.default_rng(4).random(1000) < 0.1
    y = np.where(marked, 1, X["a"] > 10).astype(int)

    def model(frame):
        if frame["a"].isna().any():
            raise ValueError("a gap")
        return np.where(frame["a"] < 0, of_mark, np.where(frame["a"].between(8.9, 9.1), 1 - of_mark, frame["a"] > 10))

    told = finding(audit_parts("faults", model, X.assign(a=X["a"].mask(marked, -999.0)), y), "BK007")
    words = "the model has learned that" if of_mark else "the model takes it for a number"
    rises = 100.0 if of_mark else -100.0
    assert f"a holds -999 in {marked.sum()} rows, which seems to mark what is missing; {words}" in told.text
    assert f"change by {rises} points" in told.text
    assert told.level == ("passed" if of_mark else "issue")
    assert "-999" not in text(audit_parts("faults", model, X, y), "BK007")


def test_what_the_model_makes_of_a_mark_holds_for_all_columns_at_once(audit_parts):
    X = table(n=1000, columns=10)
    X.loc[::5, "a"], y = -99.0, noisy((X["b"] > 0).astype(int))
    few, many = (audit_parts("faults", positive("a"), X[list(names)], y).outcome.fillers[0] for names in ("a", X))
    assert few.worse.high - few.worse.low < 0.8 * (many.worse.high - many.worse.low)


def test_a_model_that_was_trained_without_gaps_has_learned_nothing_of_them(audit_parts):
    """It sends a gap to neither end nor the middle; most that are missing are in the middle, as the mean is."""
    random = np.random.default_rng(4)
    parts = random.uniform(-3, -1, 900), random.uniform(-0.5, 0.5, 200), random.uniform(1, 3, 900), [4.0] * 60
    a = np.concatenate(parts)
    y = ((np.abs(a) < 0.5) | (a > 3) | ((a > 1) & (random.random(len(a)) < 0.2))).astype(int)
    X, missing = pd.DataFrame({"a": a}), random.random(len(a)) < np.where(np.abs(a) < 0.5, 0.5, 0.02)
    report = audit_parts("columns faults", learner().fit(X, y), X.assign(a=X["a"].mask(missing)), y)
    assert report.guard.set_index("lost")["gap"]["a"] == "silent"
    assert level(report, "BK007") == "issue"


@pytest.mark.parametrize(("gaps", "way"), [((0.0, 0.0), "silent"), ((0.2, 0.2), "open"), ((0.0, 0.5), "learned")])
def test_only_gaps_that_the_mean_replaces_badly_have_taught_what_an_imputer_puts_there(audit_parts, gaps, way):
    X = table(n=600, columns=1)
    y = (X["a"] > 0).astype(int)
    X["a"] = X["a"].mask(np.random.default_rng(4).random(600) < np.array(gaps)[y])
    model = learner(SimpleImputer(strategy="constant", fill_value=-999.0)).fit(X, y)
    report = audit_parts("columns faults", model, X, y)
    assert report.guard.set_index("lost")["gap"]["a"] == way
    assert level(report, "BK007") == ("issue" if way == "silent" else "passed")
    assert "-999 (imputed)" in str(report.to_text(100))


def test_the_loss_that_is_left_has_the_interval_of_itself_and_not_of_the_rise(audit_parts):
    """Losses of a regression vary from row to row whether a column is lost or not: the rise is known far better."""
    random = np.random.default_rng(0)
    X = table(n=300, columns=2)
    y = np.exp(random.normal(0, 2, 300)) + 1.0 * X["a"]
    report = audit_parts("columns sets", lambda frame: frame["a"].fillna(0.0) + 1.0, X, y)
    loss = np.sort(np.abs(y - 1.0))  # without a
    half = 2.2414 * loss.std(ddof=1) / np.sqrt(300)  # of two columns at once
    left = report.outcome.sets[0].loss
    assert left.value == pytest.approx(loss.mean(), rel=1e-3)
    assert (left.low, left.high) == pytest.approx((loss.mean() - half, loss.mean() + half), rel=0.01)


def test_a_row_that_is_far_off_widens_no_interval_of_what_its_loss_does_not_depend_on_and_is_named(audit_parts):
    """The model of a and b misses one row by 300; what the loss of a costs varies as in all other rows, and there."""
    X = table(n=400, columns=2)
    y = 3 * X["a"] + X["b"] + np.random.default_rng(1).normal(size=400)
    y[20], X.loc[20, "a"] = 300.0, 0.0
    y[3] = np.nan

    def model(frame):
        return 3 * frame["a"].fillna(0.0) + frame["b"].fillna(0.0)

    report = audit_parts("columns", model, X, y, metric="squared")
    there = y.notna()
    rises = ((model(X.assign(a=np.nan)) - y) ** 2 - (model(X) - y) ** 2)[there]
    low, high = stats.t.interval(1 - 0.05 / 2, len(rises) - 1, rises.mean(), rises.sem())
    cost = next(each.cost for each in report.outcome.columns if each.source == "a")
    assert cost.value == pytest.approx(rises.mean())
    assert high - low < cost.high - cost.low < 1.2 * (high - low)
    assert "Row 20 (the first is 0) alone makes 100 % of the variance" in report.paragraph
    assert "what the loss of a costs" not in str(report)
    worse = audit_parts("", lambda frame: -model(frame), X, y, metric="squared")
    assert "Row 20 " in finding(worse, "BK001").advice


@pytest.mark.parametrize(("n", "expected"), [(200, "tip"), (40, "not applicable")])
def test_whether_a_column_alone_decides_is_open_or_not_asked_where_rows_tell_little(audit_parts, n, expected):
    X = table(n=n, columns=2)

    def model(frame):
        return positive("a", "b")(frame * [1.0, 0.1])

    y = noisy(model(X))
    report = audit_parts("columns", model, X, y)
    assert level(report, "BK012") == expected
    assert ("too few to be sure" in text(report, "BK012")) == (expected == "tip")
    assert level(audit_parts("columns", lambda frame: np.zeros(len(frame), int), X, y), "BK012") == "not applicable"


def test_the_faults_are_gaps_and_those_that_plugins_declare(audit_parts):
    X = table(n=200, columns=1)
    X["plan"] = np.where(X["a"] > 0, "gold", "basic")
    report = audit_parts("faults", lambda frame: (frame["plan"] == "gold").astype(int), X, (X["a"] > 0).astype(int))
    kinds = {name: {each.kind for each in report.outcome.faults if each.column == name} for name in X}
    shared = {"NaN", "stuck", "other row"}
    assert kinds == {"a": {*shared, "x 1000", "zero"}, "plan": {*shared, "unseen", "empty"}}


def test_a_fault_at_which_the_model_raises_leaves_the_others_of_its_column(audit_parts):
    def model(frame):
        if frame["a"].max() > 100:
            raise ValueError("out of range")
        return positive("a")(frame)

    X = table(columns=2)
    faults = audit_parts("faults", model, X, positive("a")(X)).outcome.faults
    assert [(each.column, each.kind) for each in faults if each.raised] == [("a", "x 1000")]
    zero = next(each for each in faults if (each.column, each.kind) == ("a", "zero"))
    assert zero.changed.value == pytest.approx((X["a"] > 0).mean())


def test_a_plain_model_is_judged_on_rows_that_it_was_not_fitted_on(audit_parts):
    """It fits noise in its own rows, and a fault harms it there; the model always answers the same."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 60))).add_prefix("c").assign(same=1.0)
    y = np.random.default_rng(1).permutation(300) % 2
    faults = audit_parts("faults", lambda frame: np.zeros(len(frame), dtype=int), X, y).outcome.faults
    unchanged = [each for each in faults if each.column == "same" and each.kind in ("stuck", "other row")]
    assert {each.beyond_plain.value for each in unchanged} == {0.0}
    harms = [-each.beyond_plain.value for each in faults if each.kind == "x 1000"]
    assert abs(np.mean(harms[:-1])) < 0.02  # of its own rows it is .11


def test_harm_is_compared_with_a_plain_models_and_what_was_worse_before_is_none(audit_parts):
    """One answer of five is turned, whatever is asked: a fault harms such a model less, and leaves it worse."""
    X = table(n=2000, columns=2)
    y = (2.5 * X["a"] + 2.5 * X["b"] + np.random.default_rng(1).logistic(size=2000) > 0).astype(int)
    X["u"] = np.random.default_rng(2).random(2000)

    def model(frame):
        return positive("a", "b")(frame) ^ (1000 * frame["u"].fillna(0.5) % 1 < 0.2).astype(int)

    report = audit_parts("faults", model, X, y)
    zero = next(each for each in report.outcome.faults if (each.column, each.kind) == ("b", "zero"))
    right = [((X["a"] + b > 0) == y).mean() for b in (X["b"], 0)]
    assert zero.cost.low > 0.05
    assert zero.beyond_plain.value == pytest.approx(zero.cost.value - (right[0] - right[1]), abs=0.01)
    assert level(report, "BK008") == "passed"


@pytest.mark.parametrize(("centre", "expected"), [(0.0, "passed"), (6.0, "passed"), (16.0, "tip")])
def test_another_unit_is_a_fault_where_no_range_tells_it(audit_parts, centre, expected):
    """A thousand times as much is plausible where positive numbers lie over decades; not if the range tells 92 %."""
    X = table()
    X["b"] = np.exp(centre / 2 + centre / 4 * X["b"]) if centre else X["b"]

    def model(frame):
        b = frame["b"].fillna(0.0)
        return (np.log(b.clip(1e-9)) > centre / 2 if centre else b > 0).astype(int)

    told = audit_parts("faults", model, X, model(X))
    assert ("x 1000 in b" in text(told, "BK008")) == (expected == "tip")
    fault = next(each for each in told.outcome.faults if (each.column, each.kind) == ("b", "x 1000"))
    assert fault.noticed == ("" if expected == "tip" else "by a check of ranges")


def learner(*steps):
    return make_pipeline(*steps, HistGradientBoostingClassifier(max_iter=5))


ENCODED = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(sparse_output=False))
BY_HAND = FunctionTransformer(lambda frame: frame.fillna({"a": 0.0, "plan": "gold"}))
HOT = make_column_transformer((OneHotEncoder(sparse_output=False), ["plan"]), ("passthrough", ["a"]))


@pytest.mark.parametrize(
    ("model", "gaps"),
    [
        (learner(make_column_transformer((SimpleImputer(), ["a"]), (ENCODED, ["plan"]))), ["filled", "filled"]),
        (GridSearchCV(learner(SimpleImputer()), {}, cv=2), ["filled"]),
        (learner(StandardScaler(), SimpleImputer()), ["filled"]),
        (learner(StandardScaler(), KNNImputer()), ["filled"]),
        (learner(SimpleImputer(add_indicator=True)), ["open"]),
        (learner(), ["open"]),
        (learner(BY_HAND, HOT), ["silent", "silent"]),
    ],
)
def test_how_a_gap_is_taken(audit_parts, model, gaps):
    X = table(n=600, columns=1)
    X["plan"] = np.where(table(1, 600, 1)["a"] > 0, "gold", "basic")
    y = (X["a"] + 2 * (X["plan"] == "gold") > 1).astype(int)
    X = X.where(np.random.default_rng(2).random(X.shape) > 0.15)[["a", "plan"][: len(gaps)]]
    report = audit_parts("columns faults", model.fit(X, y), X, y)
    assert report.guard.set_index("lost")["gap"].to_dict() == dict(zip(X, gaps, strict=True))


def turned(y, **ranges):
    """A model that is wrong in rows before the start of a range; a gap in its column mends these and turns others."""

    def model(frame):
        at = frame["at"].fillna(-1).astype(int) if "at" in frame else frame.index
        wrong = np.zeros(len(frame), dtype=bool)
        for name, (start, worse, better) in ranges.items():
            lost = frame[name].isna().to_numpy()
            wrong |= np.where(lost, (at >= start) & (at < start + worse), (at < start) & (at >= start - better))
        return np.where(wrong, 1 - y[at], y[at])

    return model


@pytest.mark.parametrize("positives", [60, 1000])
def test_what_is_listed_costs_1_point_or_a_tenth_of_what_the_model_gains(audit_parts, positives):
    """Of 2,000 rows a loses 12: 0.6 points are little beside 50 that the model gains, and much beside 3."""
    y = (np.arange(2000) < positives).astype(int)
    report = audit_parts("columns", turned(y, a=(0, 12, 0), b=(40, 1, 0)), table(n=2000, columns=2), y, metric="error")
    shown = " ".join(str(report).split())
    if positives == 60:
        assert [*report.guard["lost"]] == ["a"]
        assert "costs 0.23 (a tenth of what the model surely gains over the constant answer) or more is listed" in shown
    else:
        text = "No column is seen to cost 1.0 points or more: the worst, a, costs 0.6 points [0.3, 1.1]."
        assert text in report.steps
        assert "lost ┃" not in shown


def test_a_gate_holds_where_any_column_or_pair_surely_breaks_it(audit_parts):
    """The loss of a turns 300 answers and mends 240, that of b turns 55 and mends none."""
    y = np.arange(1000) % 2
    report = audit_parts("columns", turned(y, a=(300, 300, 240), b=(700, 55, 0)), table(n=1000, columns=2), y)
    a, b = (each.cost for each in report.outcome.columns)
    assert a.low < 0.03 < b.low
    assert report.judge("column-loss > 0.03")[0].verdict == "holds"
    assert report.judge("column-loss < 0.09")[0].verdict == "not decided"
    report.outcome.pairs[:] = [LostPair(("a", "b"), each, each, 0.0, 0.0, 0.0) for each in (b, a)]
    worst = Estimate(a.value, b.low, a.high, a.n)
    assert report.measures["column-loss"] == report.measures["pair-loss"] == worst


def test_a_cost_that_may_be_noise_is_not_called_harmless(audit_parts):
    y = np.arange(300) % 2
    report = audit_parts("columns", turned(y, a=(100, 45, 35)), table(n=300, columns=2), y)
    assert report.outcome.columns[0].cost.value == pytest.approx(10 / 300)
    assert report.guard.empty
    (unsure,) = report.steps
    assert "too few" in unsure
    assert "a, costs 3.3 points [" in unsure


def test_what_is_sure_stands_before_what_is_open_and_noise_stands_nowhere(audit_parts):
    y = np.arange(1000) % 2
    model = turned(y, a=(100, 60, 45), b=(300, 12, 0), c=(500, 60, 48))  # of a gap in c 12 more are wrong, +-25
    report = audit_parts("columns", model, table(n=1000, columns=3), y)
    assert [*report.guard["lost"]] == ["b", "a"]
    (unsure,) = [step for step in report.steps if "too few" in step]
    assert "a costs most (1.5 points [-1.0, 4.0])" in unsure
    assert "c" not in re.findall(r"\b\w\b", unsure)
    # So many rows of which the same share change make it sure, and a third of them does not.
    rows = int(re.search(r"about ([\d,]+) rows", unsure)[1].replace(",", ""))
    for n, sure in ((rows, True), (rows // 3, False)):
        y = np.arange(n) % 2
        model = turned(y, a=(n // 10, 60 * n // 1000, 45 * n // 1000), b=(n // 2, 12 * n // 1000, 0))
        guard = audit_parts("columns", model, table(n=n, columns=2), y).guard
        assert guard.set_index("lost")["decided"]["a"] == sure


def test_a_pair_names_its_rows_and_one_that_costs_the_sum_of_each_is_no_news(audit_parts):
    """Both of a and b cost the sum; a and c 3 points more, which is little beside the 30 of a; c and d 6 of nothing."""
    y = np.arange(2000) % 2
    apart = turned(y, a=(0, 600, 0), b=(700, 600, 0))

    def model(frame):
        at, lost = frame["at"].fillna(0), frame.isna()
        wrong = np.where(lost["c"] & lost["d"] & (at % 16 == 0), 1, apart(frame))
        return np.where(lost["a"] & lost["c"] & (at > 1300) & (at % 12 == 0), 1 - y[at.astype(int)], wrong)

    X = table(n=2000, columns=4).assign(at=np.arange(2000))
    report = audit_parts("columns pairs", model, X, y)
    assert report.guard.set_index("lost")["pair"].loc[lambda pairs: pairs != ""].to_dict() == {"c + d": "together"}
    shown = " ".join(str(report).split())
    assert "* measured on 1,200 rows" in shown
    assert "a and b" not in shown


def test_a_mean_in_place_of_a_gap_is_advised_where_it_surely_costs_less(audit_parts):
    X = table(n=2000, columns=2) + 1.0

    def model(frame):
        filled = frame["a"].fillna(-9.0) + 2 * frame["b"].fillna(1.0) * (frame["b"].isna() | (frame["b"] < 5))
        return (filled > 3).astype(int)

    report = audit_parts("columns", model, X, model(X))
    a, b = sorted(report.outcome.columns, key=lambda each: each.source)
    for each in (a, b):
        right = model(X.assign(**{each.source: X[each.source].mean()})) == model(X)
        assert each.with_mean.value == pytest.approx(1 - right.mean())
        assert each.saved.value == pytest.approx(each.cost.value - each.with_mean.value)
    (advice,) = [step for step in report.steps if "put the mean" in step]
    assert " in place of a gap in a (" in advice
    assert "b (" not in advice


def test_columns_without_which_more_are_alarmed_or_missed_than_the_metric_counts_are_named(audit_parts):
    X = table(n=2000, columns=2)
    y = (X["a"] > 1).astype(int)

    def model(frame):  # without b every row above 0.5 is an alarm
        return (frame["a"].fillna(0.0) > np.where(frame["b"].isna(), 0.5, 1.0)).astype(int)

    report = audit_parts("columns", model, X, y, metric="recall", positive=1)
    more = round(1000 * ((X["a"] > 0.5) & (X["a"] <= 1)).mean())
    assert f"which recall does not count: b ({more} [" in " ".join(report.steps)
    assert "Guard these, too" not in " ".join(audit_parts("columns", model, X, y, metric="error").steps)
    y = (X["a"] > 1.5).astype(int)

    def model(frame):  # without b scores fall below a half, in the same order
        score = 1 / (1 + np.exp(1.5 - frame["a"].fillna(0.0))) / np.where(frame["b"].isna(), 4, 1)
        return np.column_stack([1 - score, score])

    report = audit_parts("columns", model, X, y, metric="average_precision", positive=1)
    assert f"miss '1' at the model's own threshold: b ({1000 * y.mean():.0f} [" in " ".join(report.steps)


def test_answers_that_are_wrong_are_missed_positives_and_false_alarms():
    random = np.random.default_rng(0)
    y = (random.random(4000) < 0.05).astype(int)
    X = pd.DataFrame({"a": random.normal(3.0 * y, 1), "b": random.normal(1.0 * y, 1)})

    def model(frame):
        score = 1 / (1 + np.exp(3 - 1.5 * frame["a"].fillna(0.0) - frame["b"].fillna(0.0)))
        return np.column_stack([1 - score, score])

    report = benchkit.audit(model, X, y, metric="recall")
    first, lost = report.guard.iloc[0], model(X.assign(a=np.nan))[:, 1] > 0.5
    missed = 1000 * (((model(X)[:, 1] > 0.5) & (y == 1)).mean() - (lost & (y == 1)).mean())
    alarms = 1000 * ((lost & (y == 0)).mean() - ((model(X)[:, 1] > 0.5) & (y == 0)).mean())
    assert first["lost"] == "a"
    assert f"{missed:+.0f} │" in str(report)
    assert missed > 0 > alarms
    assert first["missed_of_1000"] == pytest.approx(missed)
    assert first["wrong_of_1000"] == pytest.approx(missed + alarms)
    # No more recall can be lost than there is, at the level of both columns at once.
    assert first["cost_high"] <= 1 - report.outcome.intact.estimate(0.975).low


@pytest.mark.parametrize(("copied", "noise"), [(True, 0.0), (True, 0.5), (False, 0.0)])
def test_a_copy_stands_in_and_an_independent_column_does_not(audit_parts, copied, noise):
    """Either column shows a case: what is lost with both is much more than what is lost with each."""
    X = table(n=2000, columns=3)
    kind = np.random.default_rng(3).normal(size=len(X))
    X["b"] = X["a"] + noise * kind if copied else kind
    y = noisy(((X["a"] > 0) if copied else (X["a"] > 1) | (X["b"] > 1)).astype(int), 0.05)

    def model(frame):
        filled = frame[["a", "b"]]
        either = filled.mean(axis=1).fillna(-9.0) > 0 if copied else (filled > 1).any(axis=1)
        return (either | (filled.isna().all(axis=1) & (frame["c"] > 0))).astype(int)

    report = audit_parts("columns pairs", model, X, y)
    pair = report.guard[report.guard["lost"] == "a + b"].iloc[0]
    assert pair["pair"] == ("stand in" if copied else "together")
    assert (report.outcome.pairs[0].excess.low > 0.25) == copied
    assert f"│ {'each other' if copied else 'no'}" in str(report)
    assert level(report, "BK003") == ("issue" if copied else "tip")


def test_the_list_is_whole_in_python_and_a_screen_says_how_many_more_there_are(audit_parts):
    X = table(n=1500, columns=10).join(table(1, 1500, 2).add_prefix("more_"))
    report = audit_parts("columns", positive(*X), X, positive(*X)(X))
    assert set(report.guard["lost"]) == {*X}
    assert report.guard["cost"].is_monotonic_decreasing
    assert "2 more are in --json" in " ".join(str(report).split())


@pytest.mark.parametrize("told", [True, False])
def test_a_redundant_pair_whose_excess_is_not_decided_is_listed_in_words_of_its_own(audit_parts, told):
    """Of 100 rows each costs 5 and both 15: of 150 rows nobody knows whether that is more than 5 and 5."""
    X = table(n=300, columns=3)
    X["b"] = X["a"] + 0.2 * X["b"] if told else X["b"]
    X["rank"] = np.random.default_rng(1).permutation(len(X)) / len(X)

    def model(frame):
        lost = frame[["a", "b"]].isna()
        wrong = np.select([lost.all(axis=1), lost.any(axis=1)], [0.15, 0.05], 0.0)
        return ((frame["c"] > 0) ^ (frame["rank"] < wrong)).astype(int)

    report = audit_parts("columns pairs", model, X, (X["c"] > 0).astype(int))
    guard = report.guard.set_index("lost")
    assert guard["pair"].get("a + b") == ("open" if told else None)
    assert guard.loc["a", "stands_in"] == ("b?" if told else "")
    assert ("│ b?" in str(report)) == told
    assert level(report, "BK003") == ("tip" if told else "passed")
    assert "a (" not in text(report, "BK002")
