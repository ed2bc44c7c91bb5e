"""A quantity is computed once, on rows that are named, and quoted wherever it stands; slices; outages."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

import benchkit
from benchkit_audit.columns import make_column
from benchkit_audit.estimates import compare_slices
from benchkit_audit.lost import likeliest
from tests.plugins.benchkit_audit.conftest import finding, table

N = 1000


def answers(frame):
    return frame.fillna(0.0).sum(axis=1).to_numpy()


def test_what_is_left_where_others_are_lost_is_of_all_rows_or_of_few_where_these_decide(audit_parts):
    """Of a regression whose mean error differs much from some of the rows to others."""
    X = table(n=N, columns=8)
    y = answers(X) + np.random.default_rng(1).standard_t(1.5, N) * 5
    report, intact = audit_parts("columns", answers, X, y), np.abs(answers(X) - y).mean()
    for each in report.outcome.columns:
        assert each.others.value == pytest.approx(np.abs(X[each.source] - y).mean() - intact)
        assert {each.cost.n, each.others.n} == {N}
    X = table(n=N, columns=8).sample(3 * N, replace=True, random_state=0, ignore_index=True)
    report = audit_parts("columns", lambda frame: (frame["a"].fillna(0.0) > 0).astype(int), X, (X["a"] > 0).astype(int))
    rows = {each.source: each.others.n for each in report.outcome.columns}
    assert rows == {"a": 3 * N} | dict.fromkeys("bcdefgh", N)


def test_the_loss_of_a_column_is_one_number_with_one_interval():
    X = table(4, N, 8)
    y = (answers(X) + np.random.default_rng(5).logistic(size=N) > 0).astype(int)
    report = benchkit.audit(lambda frame: (answers(frame) > 0).astype(int), X, y, attacker=True)
    worst = report.outcome.columns[0]
    without = float(((answers(X.assign(**{worst.source: np.nan})) > 0) != y).mean())
    cost = without - float(((answers(X) > 0) != y).mean())
    first = report.outcome.sets[0]
    assert first.sources == (worst.source,)
    assert first.loss.value == pytest.approx(without)
    assert worst.cost.value == pytest.approx(cost)
    assert f"{100 * cost:.1f} points [{100 * worst.cost.low:.1f}, " in finding(report, "BK002").text
    assert report.to_dict()["columns"][0]["cost"] == report.to_dict()["measures"]["column-loss"]
    for each in (first.cost, report.measures["column-loss"], report.measures["worst-1"]):
        assert (each.value, each.n) == (worst.cost.value, N)
        assert (each.low, each.high) == (worst.cost.low, worst.cost.high)


def test_the_tests_are_corrected_over_all_slices_and_few_rows_are_none():
    random = np.random.default_rng(0)
    places = random.integers(0, 4, 300)
    values = random.normal(size=300) + 2.0 * (places == 2)
    column = make_column("place", pd.Series(np.array(["a", "b", "c", None], dtype=object)[places]))
    worst, *others = compare_slices([column], values, (-np.inf, np.inf))
    assert {each.what for each in others} == {"place = a", "place = b", "place = (missing)"}
    inside, outside = values[places == 2], values[places != 2]
    assert (worst.what, worst.others) == ("place = c", pytest.approx(outside.mean()))
    assert worst.p == pytest.approx(4 * ttest_ind(inside, outside, equal_var=False).pvalue, rel=1e-9, abs=0)
    column = make_column("rare", pd.Series(["yes"] * 20 + ["no"] * 80))
    assert compare_slices([column], np.zeros(100), (0.0, 1.0)) == []


def model(frame):
    return (frame["a"].fillna(-5) + frame["b"].fillna(0) > 1).astype(int)


@pytest.fixture(scope="module")
def rows():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 3)) + 1, columns=list("abc"))
    y = (X["a"] + X["b"] + X["c"] / 2 > 2).astype(int).to_numpy()
    return X, y


def error(X, y, out, value):
    """Where some columns are out, with a value, or each its own, in their place."""
    return float(np.mean(model(X.assign(**pd.Series(value, [*out], dtype=float).to_dict())) != y))


def test_it_is_the_expectation_over_independent_outages(audit_parts, rows):
    (X, y), rates = rows, {"a": 0.1, "b": 0.25}
    report = audit_parts("columns outages", model, X, y, outages=rates)
    assert [each.fallback for each in report.outcome.outages] == ["gap", "mean", "zero"]
    for each, value in zip(report.outcome.outages, (np.nan, X.mean(), 0.0), strict=True):
        rise = 0.0
        for out, share in {("a",): 0.1 * 0.75, ("b",): 0.9 * 0.25, ("a", "b"): 0.1 * 0.25}.items():
            cost = error(X, y, out, value) - error(X, y, (), 0)
            rise += share * cost
            if len(out) == 1:
                assert each.alone[out[0]].value == pytest.approx(share * cost)
        assert each.cost.value == pytest.approx(rise)
        assert each.cost.low < rise < each.cost.high
        assert each.untried == pytest.approx(0)
    assert report.measures["outage-loss"] == report.outcome.outages[0].cost
    assert report.to_dict()["outages"][0]["rates"] == rates
    assert '<section id="outages">' in report.to_html()


def test_sources_fail_whole_hardly_ever_or_always_the_own_fallback_first_and_a_refused_gap_nowhere(audit_parts, rows):
    X, y = rows
    options = {"sources": {"both": ["a", "b"]}, "outages": {"both": 0.5}, "fill": "zero"}
    own = audit_parts("columns outages", model, X, y, **options).outcome.outages[0]
    assert own.fallback == "zero"
    assert own.cost.value == pytest.approx(0.5 * (error(X, y, ("a", "b"), 0.0) - error(X, y, (), 0)))

    def strict(frame):
        if frame["a"].isna().any():
            raise ValueError("no gaps")
        return model(frame)

    report = audit_parts("columns outages", strict, X, y, outages={"a": 0.1})
    assert [each.fallback for each in report.outcome.outages] == ["mean", "zero"]
    report = audit_parts("columns outages", model, *rows, outages={"a": 1, "b": 1e-9})
    own = report.outcome.outages[0]
    assert set(own.alone) == {"a", "b"}
    assert own.cost.value == pytest.approx(own.alone["a"].value)
    assert audit_parts("columns outages", model, *rows).outcome.outages == []


def test_every_set_counts_where_sources_are_few_and_the_likeliest_where_they_are_many():
    assert sum(share for share, _ in likeliest([0.1, 0.2, 0.5])) == pytest.approx(1 - 0.9 * 0.8 * 0.5)
    assert [(place,) for place in range(80)] == [out for _, out in likeliest([0.01] * 80)]
    thirty = [out for _, out in likeliest([*[0.01] * 29, 0.3])]
    assert all(29 in out for out in thirty[30:59])
