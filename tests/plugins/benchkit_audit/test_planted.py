"""Faults that were planted are found, and what is sound is not accused."""

import numpy as np
import pandas as pd
import pytest

import benchkit

N = 1600


def table(seed=0, n=N, columns=5):
    random = np.random.default_rng(seed)
    return pd.DataFrame(random.normal(size=(n, columns)), columns=list("abcdefghij")[:columns])


def level(report, code):
    return next(each.level for each in report.findings if each.code == code)


def text(report, code):
    return next(each.text for each in report.findings if each.code == code)


def noisy(labels, share=0.1, seed=1):
    flip = np.random.default_rng(seed).random(len(labels)) < share
    return np.where(flip, 1 - labels, labels)


def filled(frame):
    return frame.fillna(0.0)


def test_a_column_that_alone_decides():
    X = table()
    y = noisy((X["b"] > 0).astype(int))

    def model(frame):
        return (filled(frame)["b"] > 0).astype(int)

    report = benchkit.audit(model, X, y)
    assert level(report, "BK002") == level(report, "BK012") == "issue"
    assert report.outcome.columns[0].source == "b"
    assert "b alone decides" in text(report, "BK012")
    assert "Make sure that b does not fail." in report.paragraph
    # The loss leaves the constant answer: right in half of the rows.
    assert report.measures["column-loss"].value == pytest.approx(0.4, abs=0.04)


def test_a_redundant_pair_of_which_each_is_harmless_and_both_are_fatal():
    X = table()
    X["d"] = X["b"]
    y = noisy((X["b"] > 0).astype(int))

    def model(frame):
        known = frame["b"].fillna(frame["d"]).fillna(-9.0)
        return (known > 0).astype(int)

    report = benchkit.audit(model, X, y)
    assert level(report, "BK002") == "passed"
    assert level(report, "BK003") == "issue"
    top = report.outcome.pairs[0]
    assert set(top.sources) == {"b", "d"}
    assert top.excess.low > 0.25
    assert max(abs(each.cost.value) for each in report.outcome.columns if each.source in "bd") == 0
    assert text(report, "BK003") in report.paragraph
    # As one source they are what hurts.
    grouped = benchkit.audit(model, X, y, sources={"office": ["b", "d"]})
    assert grouped.outcome.columns[0].source == "office"
    assert level(grouped, "BK002") == "issue"


def test_a_model_that_reads_a_gap_as_zero():
    X = table()
    y = (X["a"] + X["b"] > 0).astype(int)

    def model(frame):
        return (filled(frame)[["a", "b"]].sum(axis=1) > 0).astype(int)

    report = benchkit.audit(model, X, y)
    told = {each.column: str(each) for each in report.outcome.readings}
    assert told == {
        "a": "as 0",
        "b": "as 0",
        "c": "no answer changes",
        "d": "no answer changes",
        "e": "no answer changes",
    }
    assert level(report, "BK007") == "issue"
    assert "It reads a gap as 0." in text(report, "BK007")
    assert "gap-change (BK007)" in report.paragraph
    assert level(report, "BK006") == "passed"


def test_a_model_that_raises_at_a_gap():
    X = table()
    y = noisy((X["a"] > 0).astype(int))

    def model(frame):
        if frame["a"].isna().any():
            raise ValueError("a is missing\nin some row")
        return (frame["a"] > 0).astype(int)

    report = benchkit.audit(model, X, y)
    assert level(report, "BK006") == "tip"
    advice = next(each.advice for each in report.findings if each.code == "BK006")
    assert "ValueError: a is missing in some row" in advice
    assert "The model refuses gaps in 1 of 5 columns" in report.outcome.filled.note
    assert "The model raises at a gap in a" in report.paragraph
    with pytest.raises(benchkit.RequestError, match="takes no gap in 'a'"):
        benchkit.audit(model, X, y, fill="gap")


def test_a_leak():
    X = table()
    y = noisy((X[["a", "b"]].sum(axis=1) > 0).astype(int), 0.2)
    X["paid"] = y.astype(float)

    def model(frame):
        return np.where(frame["paid"].isna(), filled(frame)[["a", "b"]].sum(axis=1) > 0, frame["paid"] > 0.5).astype(
            int
        )

    report = benchkit.audit(model, X, y)
    assert level(report, "BK012") == "issue"
    assert "paid alone decides" in text(report, "BK012")
    assert "paid alone decides" in report.paragraph


def test_a_sound_model_is_not_accused():
    X = table(columns=10)
    y = noisy((X.sum(axis=1) > 0).astype(int), 0.05)

    def model(frame):  # the mean of what is there: one column of ten is missed little
        return (frame.mean(axis=1) > 0).astype(int)

    report = benchkit.audit(model, X, y)
    assert {code: level(report, code) for code in ("BK001", "BK006", "BK012")} == dict.fromkeys(
        ("BK001", "BK006", "BK012"), "passed"
    )
    assert level(report, "BK003") != "issue"


def test_a_model_that_is_no_better_than_one_answer():
    X = table()
    y = np.random.default_rng(3).integers(0, 2, N)
    report = benchkit.audit(lambda frame: (filled(frame)["a"] > 0).astype(int), X, y)
    assert level(report, "BK001") == "issue"
    assert "not decided to be better" in report.paragraph


def test_what_hits_some_rows_harder_is_named():
    X = table()
    X["state"] = np.where(np.arange(N) % 5 == 0, "NY", "CA")
    y = noisy((X["a"] > 0).astype(int), 0.05)
    y = np.where(X["state"] == "NY", 1 - y, y)
    report = benchkit.audit(lambda frame: (filled(frame)["a"] > 0).astype(int), X, y)
    assert report.outcome.slices[0].what == "state = NY"
    assert report.outcome.slices[0].p < 1e-6
    assert level(report, "BK011") == "tip"


def test_a_model_that_is_sure_and_wrong():
    X = table()
    y = noisy((X["a"] > 0).astype(int), 0.05)

    def model(frame):
        score = 1 / (1 + np.exp(-3 * frame["a"].fillna(5.0)))
        return np.column_stack([1 - score, score])

    report = benchkit.audit(model, X, y)
    assert level(report, "BK010") == "issue"
    assert "Sure and wrong" in text(report, "BK010")


def test_a_regression_is_judged_in_the_unit_of_its_target():
    X = table()
    y = 100 + 10 * X["a"] + np.random.default_rng(0).normal(0, 1, N)
    report = benchkit.audit(lambda frame: 100 + 10 * filled(frame)["a"], X, y)
    assert report.outcome.subject.task == "regression"
    # E|10 a| = 10 sqrt(2 / pi), E|noise| = sqrt(2 / pi).
    assert report.outcome.before.value == pytest.approx(0.798, abs=0.05)
    assert report.measures["column-loss"].value == pytest.approx(8.02 - 0.8, abs=0.3)
    assert "off by" in report.paragraph
    assert report.outcome.readings[0].value == 0.0


@pytest.mark.parametrize(
    ("stands_for", "centres", "said"),
    [
        (0.0, {"a": 50.0}, "as 0 or as a value below all others"),
        (0.0, {"a": 50.0, "b": 0.0}, "as 0"),
        (0.0, {"a": 50.0, "b": -50.0}, "as 0"),
        (-999.0, {"a": 50.0, "b": -50.0}, "as a value below all others"),
        (-999.0, {"a": 50.0, "b": 0.0}, "as a value below all others"),
        (999.0, {"a": 50.0, "b": 0.0}, "as a value above all others"),
    ],
)
def test_zero_is_told_from_the_ends_by_columns_where_they_differ(stands_for, centres, said):
    """A value beyond all others answers as any other there: 0 is claimed only where no end explains all columns."""
    random = np.random.default_rng(1)
    X = pd.DataFrame({name: random.normal(centre, 5, N) for name, centre in centres.items()})

    def model(frame):  # of a range the two sides of one limit alone are told apart, as by a tree
        parts = [frame[name].fillna(stands_for) > centre - 3 for name, centre in centres.items()]
        return np.logical_or.reduce(parts).astype(int)

    report = benchkit.audit(model, X, model(X))
    assert f"It reads a gap {said}." in text(report, "BK007")


@pytest.mark.parametrize(("weight", "expected"), [(10.0, "issue"), (0.1, "passed")])
def test_a_gap_that_hardly_moves_a_number_is_no_issue(weight, expected):
    X = table()
    y = 100 + 10 * X["a"] + weight * X["b"]
    report = benchkit.audit(
        lambda frame: 100 + 10 * frame["a"] + weight * frame["b"].fillna(0), X, y, task="regression"
    )
    told = next(each for each in report.findings if each.code == "BK007")
    assert told.level == expected
    assert ("in the mean" in told.text) or expected == "issue"


def test_the_loss_that_is_left_has_the_interval_of_itself_and_not_of_the_rise():
    """Losses of a regression vary from row to row whether a column is lost or not: the rise is known far better."""
    random = np.random.default_rng(0)
    X = table(n=300, columns=2)
    y = np.exp(random.normal(0, 2, 300)) + 1.0 * X["a"]

    def model(frame):
        return filled(frame)["a"].to_numpy() + 1.0

    report = benchkit.audit(model, X, y, task="regression")
    loss = np.sort(np.abs(y - 1.0))  # without a
    half = 2.2414 * loss.std(ddof=1) / np.sqrt(300)  # of two columns at once
    left = report.outcome.sets[0].loss
    assert left.value == pytest.approx(loss.mean(), rel=1e-3)
    assert (left.low, left.high) == pytest.approx((loss.mean() - half, loss.mean() + half), rel=0.01)


def test_a_column_of_texts_that_is_empty_as_a_file_holds_it():
    """pandas reads a column without a value as numbers, which an encoder of texts may refuse."""
    X = table(n=400, columns=2)
    X["plan"] = np.where(X["a"] > 0, "gold", "basic")
    y = (X["a"] > 0).astype(int)

    def model(frame):
        if frame["plan"].dtype.kind == "f":
            raise TypeError("no texts")
        return (frame["plan"] == "gold").astype(int)

    report = benchkit.audit(model, X, y)
    assert level(report, "BK006") == "tip"
    assert "every row of plan is empty" in text(report, "BK006")
    assert "every row of plan is empty" in report.paragraph


def test_whether_a_column_alone_decides_is_open_where_few_rows_tell():
    X = table(n=40, columns=2)
    y = (X["a"] + 0.3 * X["b"] > 0).astype(int)

    def model(frame):
        return (filled(frame)[["a", "b"]] @ [1.0, 0.3] > 0).astype(int)

    report = benchkit.audit(model, X, y)
    assert level(report, "BK012") == "tip"
    assert "these rows do not decide it" in text(report, "BK012")
    assert level(benchkit.audit(lambda frame: np.zeros(len(frame), int), X, y), "BK012") == "not applicable"


def test_names_that_hold_commas_are_in_quotation_marks():
    X = table(columns=3).rename(columns={"a": "load, kg", "b": "risk"})
    y = ((X["load, kg"] > 0) & (X["risk"] > 0)).astype(int)

    def model(frame):
        return ((filled(frame)["load, kg"] > 0) & (filled(frame)["risk"] > 0)).astype(int)

    report = benchkit.audit(model, X, y)
    assert "(" in text(report, "BK004")
    assert "load, kg" not in text(report, "BK004").replace("'load, kg'", "")


def test_a_model_that_takes_gaps_and_no_none_is_told_of_none():
    X = table()
    X["plan"] = np.where(X["a"] > 0, "gold", "basic")
    y = (X["a"] > 0).astype(int)

    def model(frame):
        if any(each is None for each in frame["plan"].astype(object)):
            raise TypeError("no None")
        return (frame["plan"] == "gold").astype(int)

    report = benchkit.audit(model, X, y)
    assert level(report, "BK006") == "tip"
    assert "None in plan" in text(report, "BK006")
    advice = next(each.advice for each in report.findings if each.code == "BK006")
    assert "production" not in advice
    assert "raises at a gap" not in report.paragraph


def test_the_faults_are_gaps_and_those_that_plugins_declare():
    X = table(n=200, columns=1)
    X["plan"] = np.where(X["a"] > 0, "gold", "basic")
    report = benchkit.audit(lambda frame: (frame["plan"] == "gold").astype(int), X, (X["a"] > 0).astype(int))
    kinds = {name: {each.kind for each in report.outcome.probes if each.column == name} for name in X}
    shared = {"NaN", "None", "stuck", "other row"}
    assert kinds == {"a": {*shared, "x 1000", "zero"}, "plan": {*shared, "empty column", "unseen", "empty"}}
    declared = {each.name for each in benchkit.registry().adversaries.values() if each.probe is not None}
    assert declared == {"sample", "scale", "sentinel", "stuck", "unseen-category"}


def test_a_model_that_stands_lost_columns_worse_than_a_plain_one_is_told_and_another_is_not():
    X = table(n=3000, columns=4)
    y = noisy((X.sum(axis=1) > 0).astype(int), 0.05)

    def plain(frame):
        return (filled(frame).sum(axis=1) > 0).astype(int)

    def fragile(frame):  # a gap in two columns turns its answers
        return np.where(frame.isna().sum(axis=1) > 1, 1 - plain(frame), plain(frame))

    assert level(benchkit.audit(fragile, X, y), "BK004") == "issue"
    assert level(benchkit.audit(plain, X, y), "BK004") == "passed"


@pytest.mark.parametrize(("centre", "expected"), [(0.0, "passed"), (6.0, "tip")])
def test_another_unit_is_a_fault_where_no_range_tells_it(centre, expected):
    """Of a plain model: a thousand times as much is plausible where positive numbers lie over decades."""
    X = table()
    X["b"] = np.exp(centre / 2 + 1.5 * X["b"]) if centre else X["b"]
    y = (np.log(X["b"]) > centre / 2 if centre else X["b"] > 0).astype(int)

    def model(frame):
        b = frame["b"].fillna(0.0)
        return (np.log(b.clip(1e-9)) > centre / 2 if centre else b > 0).astype(int)

    told = benchkit.audit(model, X, y)
    assert ("x 1000 in b" in text(told, "BK008")) == (expected == "tip")


def test_a_screen_holds_the_report_and_details_hold_all():
    X = table(n=2000, columns=10)
    X = pd.concat([X, table(1, 2000, 10).add_prefix("more_")], axis=1)
    y = noisy((X["a"] + X["b"] + X["more_a"] > 0).astype(int), 0.05)
    report = benchkit.audit(lambda frame: (filled(frame)[["a", "b", "more_a"]].sum(axis=1) > 0).astype(int), X, y)
    lines = report.to_text(100, details=False).splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    assert len(report.to_text(100).splitlines()) > 100
    assert [*report.guard["lost"][:3]] == sorted(["a", "b", "more_a"], key=[*report.guard["lost"]].index)
    assert report.tables["columns"].set_index("source")["cost"]["a"] == pytest.approx(
        next(each.cost.value for each in report.outcome.columns if each.source == "a")
    )
