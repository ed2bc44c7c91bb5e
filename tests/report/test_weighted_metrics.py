"""Rows that count by a column of the data, and metrics that read columns: of a run with 0 trials more."""

import math

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit.errors import RequestError
from benchkit.plugin.declarations import MetricContext
from benchkit.plugin.manager import registry
from benchkit.report.analysis import Analysis, Settings
from benchkit.report.metrics_afterwards import weighted
from benchkit.statistics.row_differences import mean_over_rows

COST = '''"""What wrong answers cost."""
import numpy as np
from benchkit import Metric, hookimpl

def lost(evaluation):
    """The amount of each row that was judged wrongly."""
    return np.where(evaluation.predictions != evaluation.y, evaluation.columns["amount"], 0.0)

def mean_lost(evaluation):
    """Mean amount that is lost."""
    return float(lost(evaluation).mean())

@hookimpl
def benchkit_metrics():
    return [Metric(name="cost", compute=mean_lost, row_values=lost, needs="losses", columns=["amount"])]
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("claims")
    (found / "cost.py").write_text(COST)
    return found


@pytest.fixture(scope="module")
def table(folder):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "amount": rng.lognormal(5, 1, 200).round(2)})
    frame["gap"] = frame["amount"].where(frame["amount"] > 60)
    frame["outcome"] = np.where(frame["x"] + rng.normal(size=200) > 0, "pays", "defaults")
    frame.to_csv(folder / "claims.csv", index=False)
    return frame


@pytest.fixture(scope="module")
def run(folder, table):
    dataset = {"name": "csv", "path": str(folder / "claims.csv"), "target": "outcome", "drop": ["amount", "gap"]}
    suite = {
        "name": "claims",
        "datasets": [{**dataset, "label": "claims"}],
        "split": {"repetitions": 3, "train": 0.5, "test": 0.5},
        "algorithms": ["logistic-regression", "constant"],
        "seed": 1,
    }
    return benchkit.run(suite, out=folder / "runs", executor="inline")


def test_the_error_counts_by_the_amount(run, table):
    found = benchkit.load(run.folder).with_metrics("error", weights="amount")
    rows = run.rows_to_pandas()
    weights = table["amount"].to_numpy()[rows["row"]]
    for row in found.rows:
        own = (rows["trial"] == row["trial"]).to_numpy()
        expected = np.average(rows["loss"][own], weights=weights[own])
        assert row["metrics"]["error weighted by amount"] == pytest.approx(expected)
    (comparison,) = (each for each in found.comparisons() if each.metric == "error weighted by amount")
    assert comparison.test == "test on paired rows"
    (plain,) = (each for each in found.comparisons() if each.metric == "error")
    assert comparison.high - comparison.low > plain.high - plain.low  # few rows have most of the money


def test_a_metric_that_reads_a_column_follows_from_rows(run, folder, table):
    plugins = (str(folder / "cost.py"),)
    found = benchkit.load(run.folder).with_metrics("cost", plugins=plugins)
    rows = run.rows_to_pandas()
    rows["cost"] = rows["loss"] * table["amount"].to_numpy()[rows["row"]]
    expected = rows.groupby("trial")["cost"].mean()
    assert {row["trial"]: row["metrics"]["cost"] for row in found.rows} == pytest.approx(expected.to_dict())
    sliced, _ = Analysis(found, Settings(metrics=("cost",), by="x", plugins=plugins)).slices
    assert sliced[0].grid.metric == "cost"


@pytest.mark.parametrize(
    ("metric", "column", "said"),
    [
        ("error", "amuont", "did you mean 'amount'?"),
        ("error", "outcome", "weights are numbers, and outcome holds others"),
        ("error", "gap", "gap is missing or below 0 in "),
        ("error", "x", "x is missing or below 0 in "),
        ("balanced_accuracy", "amount", "balanced_accuracy is no mean of rows' own losses"),
        ("fit-seconds", "amount", "fit-seconds is no mean of rows' own losses"),
    ],
)
def test_what_cannot_be_weighed_is_said_in_a_line(run, metric, column, said):
    with pytest.raises(RequestError) as caught:
        benchkit.load(run.folder).with_metrics(metric, weights=column)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def context(wrong, amounts):
    truth = np.zeros(len(wrong))
    return MetricContext(model=None, X=None, y=truth, predictions=wrong * 1.0, truth={}, columns={"amount": amounts})


def test_its_variance_is_that_of_a_ratio_in_a_survey():
    """Against the jackknife of the ratio, and the textbook's (Cochran 1977, eq. 6.13) sum."""
    rng = np.random.default_rng(1)
    amounts, wrong = rng.lognormal(0, 0.7, 400), rng.random(400) < 0.3
    metric = weighted(registry().metrics["error"], "amount")
    values = metric.row_values(context(wrong, amounts))
    ratio = (wrong * amounts).sum() / amounts.sum()
    assert values.mean() == pytest.approx(ratio) == pytest.approx(metric.compute(context(wrong, amounts)))
    found = mean_over_rows([(np.arange(400), values)])
    residuals = amounts * (wrong - ratio)
    assert found.of_rows == pytest.approx((residuals**2).sum() / 399 / 400 / amounts.mean() ** 2)
    left_out = ((wrong * amounts).sum() - wrong * amounts) / (amounts.sum() - amounts)
    assert found.of_rows == pytest.approx(399 / 400 * ((left_out - left_out.mean()) ** 2).sum(), rel=0.03)


def test_its_intervals_hold_the_ratio_of_all_rows():
    """Rows whose large amounts are wrong more often; one test part of 200 rows each time."""
    rng = np.random.default_rng(2)
    metric = weighted(registry().metrics["error"], "amount")

    def draw(n):
        amounts = rng.lognormal(0, 0.7, n)
        return amounts, rng.random(n) < 0.1 + 0.3 * (amounts > 1.5)

    amounts, wrong = draw(1_000_000)
    truth = (wrong * amounts).sum() / amounts.sum()
    covered = 0
    for _ in range(600):
        amounts, wrong = draw(200)
        found = mean_over_rows([(np.arange(200), metric.row_values(context(wrong, amounts)))])
        covered += abs(found.mean - truth) <= 1.96 * math.sqrt(found.variance)
    assert 0.925 <= covered / 600 <= 0.975
