"""What outages cost on average is the sum over what is out together of how often that is and what it costs."""

import numpy as np
import pandas as pd
import pytest

from benchkit_audit.lost import likeliest

N = 400
RATES = {"a": 0.1, "b": 0.25}


def table(columns="abc"):
    return pd.DataFrame(np.random.default_rng(0).normal(size=(N, len(columns))) + 1, columns=list(columns))


def model(frame):
    return (frame["a"].fillna(-5) + frame["b"].fillna(0) > 1).astype(int)


@pytest.fixture(scope="module")
def rows():
    X = table()
    y = (X["a"] + X["b"] + X["c"] / 2 > 2).astype(int).to_numpy()
    return X, y


def error(X, y, out, value):
    return float(np.mean(model(X.assign(**dict.fromkeys(out, value))) != y))


def test_it_is_the_expectation_over_independent_outages(audit_parts, rows):
    X, y = rows
    report = audit_parts("columns outages", model, X, y, outages=RATES)
    assert [each.fallback for each in report.outcome.outages] == ["gap", "mean", "zero"]
    for each, value in zip(report.outcome.outages, (np.nan, X.mean().to_dict(), 0.0), strict=True):
        rise = 0.0
        for out, share in {("a",): 0.1 * 0.75, ("b",): 0.9 * 0.25, ("a", "b"): 0.1 * 0.25}.items():
            values = {name: value[name] if isinstance(value, dict) else value for name in out}
            cost = float(np.mean(model(X.assign(**values)) != y)) - error(X, y, (), 0)
            rise += share * cost
            if len(out) == 1:
                assert each.alone[out[0]].value == pytest.approx(share * cost)
        assert each.cost.value == pytest.approx(rise)
        assert each.cost.low < rise < each.cost.high
        assert each.untried == pytest.approx(0)
    assert report.measures["outage-loss"] == report.outcome.outages[0].cost
    assert "At the given rates outages cost" in report.paragraph
    assert "Outages: what they cost on average" in str(report)
    assert report.to_dict()["outages"][0]["rates"] == RATES
    assert '<section id="outages">' in report.to_html()


def test_sources_fail_whole_and_the_audits_own_fallback_comes_first(audit_parts, rows):
    X, y = rows
    report = audit_parts(
        "columns outages", model, X, y, sources={"both": ["a", "b"]}, outages={"both": 0.5}, fill="zero"
    )
    own = report.outcome.outages[0]
    assert own.fallback == "zero"
    assert own.cost.value == pytest.approx(0.5 * (error(X, y, ("a", "b"), 0.0) - error(X, y, (), 0)))


def test_a_model_that_refuses_gaps_is_told_of_no_gap(audit_parts, rows):
    X, y = rows

    def strict(frame):
        if frame["a"].isna().any():
            raise ValueError("no gaps")
        return model(frame)

    report = audit_parts("columns outages", strict, X, y, outages={"a": 0.1})
    assert [each.fallback for each in report.outcome.outages] == ["mean", "zero"]


def test_a_source_that_is_hardly_ever_or_always_out_is_told_too(audit_parts, rows):
    report = audit_parts("columns outages", model, *rows, outages={"a": 1, "b": 1e-9})
    own = report.outcome.outages[0]
    assert set(own.alone) == {"a", "b"}
    assert own.cost.value == pytest.approx(own.alone["a"].value)
    assert "100 %" in str(report)


def test_without_rates_nothing_is_asked_and_nothing_said(audit_parts, rows):
    report = audit_parts("columns outages", model, *rows)
    assert report.outcome.outages == []
    assert "outage" not in str(report).lower()


def test_every_set_counts_where_sources_are_few_and_the_likeliest_where_they_are_many():
    few = dict((out, share) for share, out in likeliest([0.1, 0.2, 0.5]))
    assert sum(few.values()) == pytest.approx(1 - 0.9 * 0.8 * 0.5)
    assert few[0, 2] == pytest.approx(0.1 * 0.8 * 0.5)
    many = [out for _, out in likeliest([0.01] * 80)]
    assert [(place,) for place in range(80)] == many
    thirty = [out for _, out in likeliest([*[0.01] * 29, 0.3])]
    assert all(29 in out for out in thirty[30:59])
