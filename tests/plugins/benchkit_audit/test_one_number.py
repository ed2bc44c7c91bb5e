"""A quantity is computed once, on rows that are named, and quoted wherever it stands."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import benchkit

N = 1500
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
    return X, y, benchkit.audit(answers, X, y)


@pytest.fixture(scope="module")
def classified():
    X = table(2)
    y = (answers(X) + np.random.default_rng(3).logistic(size=N) > 0).astype(int)
    model = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(X, y)
    rest = table(4)
    truth = (answers(rest) + np.random.default_rng(5).logistic(size=N) > 0).astype(int)
    return model, rest, truth, benchkit.audit(model, rest, truth)


def losses(X, y, lost):
    return np.abs(answers(X.assign(**dict.fromkeys(lost, np.nan))) - y)


def test_the_range_over_sets_is_of_the_same_rows_as_the_mean(heavy):
    X, y, report = heavy
    for each in report.outcome.random:
        means = [losses(X, y, lost).mean() for lost in itertools.combinations(COLUMNS, each.lost)]
        assert min(means) - 1e-9 <= each.spread[0] <= each.spread[1] <= max(means) + 1e-9
        assert each.loss.n == N
        assert min(means) <= each.loss.value <= max(means)


def test_what_a_column_tells_alone_is_of_all_rows(heavy):
    X, y, report = heavy
    constant = np.abs(np.median(y) - y)
    for each in report.outcome.columns:
        others = losses(X, y, [name for name in COLUMNS if name != each.source])
        assert each.alone.value == pytest.approx(constant.mean() - others.mean())
        assert each.others.value == pytest.approx(others.mean() - losses(X, y, []).mean())
        assert {each.cost.n, each.alone.n, each.others.n} == {N}


def test_numbers_on_some_rows_name_them_with_what_is_intact_there(heavy):
    _, _, report = heavy
    two = next(each for each in report.outcome.attacked if each.lost == 2)
    assert two.loss.n < N
    intact = f"on {two.loss.n} rows ({two.loss.value - two.cost.value:.4g} with nothing lost)"
    text = next(each.text for each in report.findings if each.code == "BK005")
    for shown in (text, str(report), report.to_markdown(), report.to_html()):
        assert intact in " ".join(shown.split())
    worst = report.outcome.sets[-1]
    text = next(each.text for each in report.findings if each.code == "BK004")
    assert f"on {worst.loss.n} rows ({worst.loss.value - worst.cost.value:.4g} with nothing lost)" in text


def test_a_worst_loss_is_compared_with_the_constant_answer_on_its_own_rows(heavy):
    _, y, report = heavy
    rows = np.random.default_rng(0).permutation(N)[:400]  # as the audit draws them with seed 0
    constant = np.abs(np.median(y) - y)[rows].mean()
    for each in report.outcome.attacked:
        assert each.loss.value - each.beyond_constant.value == pytest.approx(constant)


def test_the_loss_of_a_column_is_one_number_with_one_interval(classified):
    model, X, y, report = classified
    worst = report.outcome.columns[0]
    without = float((model.predict(X.assign(**{worst.source: np.nan})) != y).mean())
    cost = without - float((model.predict(X) != y).mean())
    first = report.outcome.sets[0]
    gap = next(each for each in report.outcome.probes if (each.column, each.kind) == (worst.source, "NaN"))
    assert first.sources == (worst.source,)
    assert first.loss.value == pytest.approx(without)
    assert worst.cost.value == pytest.approx(cost)
    said = f"{100 * cost:.1f} points [{100 * worst.cost.low:.1f}, {100 * worst.cost.high:.1f}]"
    finding = next(each.text for each in report.findings if each.code == "BK002")
    assert f"{worst.source} ({said})" in finding
    for each in (gap.cost, first.cost, report.measures["column-loss"], report.measures["worst-1"]):
        assert (each.value, each.n) == (worst.cost.value, N)
        assert (each.low, each.high) == (worst.cost.low, worst.cost.high)


def test_confidence_where_columns_are_lost_at_random_is_of_the_same_answers(classified):
    *_, report = classified
    by_name = {each.when: each for each in report.outcome.confidences}
    for each in report.outcome.random:
        assert by_name[f"{each.lost} lost at random"].right == pytest.approx(1 - each.loss.value)
    worst = report.outcome.columns[0]
    assert by_name[f"{worst.source} lost"].right == pytest.approx(1 - report.outcome.sets[0].loss.value)
    assert {each.overconfidence.n for each in report.outcome.confidences} == {N}


def test_the_gate_has_the_interval_of_the_worst_column_though_others_come_near():
    X = table(6)
    y = (answers(X) > 0).astype(int)
    report = benchkit.audit(lambda frame: (answers(frame) > 0).astype(int), X, y)
    worst = report.outcome.columns[0].cost
    assert max(each.cost.low for each in report.outcome.columns[1:]) > worst.low - 0.02
    assert report.measures["column-loss"] == worst == report.outcome.sets[0].cost
    assert report.to_dict()["columns"][0]["cost"] == report.to_dict()["measures"]["column-loss"]
