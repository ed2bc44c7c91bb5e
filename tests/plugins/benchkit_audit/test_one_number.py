"""A quantity is computed once, on rows that are named, and quoted wherever it stands; slices are tested as groups."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind
from sklearn.ensemble import HistGradientBoostingClassifier

import benchkit
from benchkit_audit.columns import make_column
from benchkit_audit.estimates import compare_slices

N = 1000
COLUMNS = list("abcdefgh")


def table(seed=0):
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(N, len(COLUMNS))), columns=COLUMNS)


def answers(frame):
    return frame.fillna(0.0).sum(axis=1).to_numpy()


@pytest.fixture(scope="module")
def heavy():
    """A regression whose mean error differs much from some of the rows to others."""
    X = table()
    y = answers(X) + np.random.default_rng(1).standard_t(1.5, N) * 5
    return X, y, benchkit.audit(answers, X, y, attacker=True)


@pytest.fixture(scope="module")
def classified():
    X = table(2)
    y = (answers(X) + np.random.default_rng(3).logistic(size=N) > 0).astype(int)
    model = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(X, y)
    rest = table(4)
    truth = (answers(rest) + np.random.default_rng(5).logistic(size=N) > 0).astype(int)
    return model, rest, truth, benchkit.audit(model, rest, truth, attacker=True)


def losses(X, y, lost):
    return np.abs(answers(X.assign(**dict.fromkeys(lost, np.nan))) - y)


def test_what_is_left_where_others_are_lost_is_of_all_rows(heavy):
    X, y, report = heavy
    for each in report.outcome.columns:
        others = losses(X, y, [name for name in COLUMNS if name != each.source])
        assert each.others.value == pytest.approx(others.mean() - losses(X, y, []).mean())
        assert {each.cost.n, each.others.n} == {N}


def test_what_is_left_where_others_are_lost_is_of_few_rows_where_these_decide(audit_parts):
    X = table().sample(3 * N, replace=True, random_state=0, ignore_index=True)
    report = audit_parts("columns", lambda frame: (frame["a"].fillna(0.0) > 0).astype(int), X, (X["a"] > 0).astype(int))
    rows = {each.source: each.others.n for each in report.outcome.columns}
    assert rows == {"a": 3 * N} | dict.fromkeys("bcdefgh", N)
    assert "1,000 rows" in report.to_text().split("Columns:")[1]


def test_the_loss_of_a_column_is_one_number_with_one_interval(classified):
    model, X, y, report = classified
    worst = report.outcome.columns[0]
    without = float((model.predict(X.assign(**{worst.source: np.nan})) != y).mean())
    cost = without - float((model.predict(X) != y).mean())
    first = report.outcome.sets[0]
    assert first.sources == (worst.source,)
    assert first.loss.value == pytest.approx(without)
    assert worst.cost.value == pytest.approx(cost)
    said = f"{100 * cost:.1f} points [{100 * worst.cost.low:.1f}, {100 * worst.cost.high:.1f}]"
    finding = next(each.text for each in report.findings if each.code == "BK002")
    assert f"{worst.source} ({said})" in finding
    for each in (first.cost, report.measures["column-loss"], report.measures["worst-1"]):
        assert (each.value, each.n) == (worst.cost.value, N)
        assert (each.low, each.high) == (worst.cost.low, worst.cost.high)


def test_the_gate_has_the_interval_of_the_worst_column_though_others_come_near(audit_parts):
    X = table(6)
    y = (answers(X) > 0).astype(int)
    report = audit_parts("columns sets", lambda frame: (answers(frame) > 0).astype(int), X, y)
    worst = report.outcome.columns[0].cost
    assert max(each.cost.low for each in report.outcome.columns[1:]) > worst.low - 0.02
    assert report.measures["column-loss"] == worst == report.outcome.sets[0].cost
    assert report.to_dict()["columns"][0]["cost"] == report.to_dict()["measures"]["column-loss"]


def test_the_tests_are_welchs_corrected_over_all_slices():
    random = np.random.default_rng(0)
    places = random.integers(0, 4, 300)
    values = random.normal(size=300) + 0.4 * (places == 2)
    column = make_column("place", pd.Series(np.array(["a", "b", "c", None], dtype=object)[places]))
    slices = compare_slices([column], np.arange(300), values, (-np.inf, np.inf))
    names = ["place = a", "place = b", "place = c", "place = (missing)"]
    assert sorted(each.what for each in slices) == sorted(names)
    inside = {name: places == place for place, name in enumerate(names)}
    raw = {name: ttest_ind(values[here], values[~here], equal_var=False).pvalue for name, here in inside.items()}
    order = sorted(raw.values())
    adjusted = {p: min(1.0, max((4 - j) * order[j] for j in range(k + 1))) for k, p in enumerate(order)}
    for each in slices:
        assert each.p == pytest.approx(adjusted[raw[each.what]])
        assert each.others == pytest.approx(values[~inside[each.what]].mean())


def test_few_rows_are_no_slice():
    values = np.zeros(100)
    column = make_column("rare", pd.Series(["yes"] * 20 + ["no"] * 80))
    assert compare_slices([column], np.arange(100), values, (0.0, 1.0)) == []
