"""Metrics that read columns of the data, of a run with 0 trials more."""

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit.errors import RequestError
from benchkit.report.analysis import Analysis, Settings

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
    frame["outcome"] = np.where(frame["x"] + rng.normal(size=200) > 0, "pays", "defaults")
    frame.to_csv(folder / "claims.csv", index=False)
    return frame


@pytest.fixture(scope="module")
def run(folder, table):
    dataset = {"name": "csv", "path": str(folder / "claims.csv"), "target": "outcome", "drop": ["amount"]}
    suite = {
        "name": "claims",
        "datasets": [{**dataset, "label": "claims"}],
        "split": {"repetitions": 3, "train": 0.5, "test": 0.5},
        "algorithms": ["logistic-regression", "constant"],
        "seed": 1,
    }
    return benchkit.run(suite, out=folder / "runs", executor="inline")


def test_a_metric_that_reads_a_column_follows_from_rows(run, folder, table):
    plugins = (str(folder / "cost.py"),)
    found = benchkit.load(run.folder).with_metrics("cost", plugins=plugins)
    rows = run.rows_to_pandas()
    rows["cost"] = rows["loss"] * table["amount"].to_numpy()[rows["row"]]
    expected = rows.groupby("trial")["cost"].mean()
    assert {row["trial"]: row["metrics"]["cost"] for row in found.rows} == pytest.approx(expected.to_dict())
    sliced, _ = Analysis(found, Settings(metrics=("cost",), by="x", plugins=plugins)).slices
    assert sliced[0].grid.metric == "cost"


def test_a_column_that_is_not_there_is_refused_in_a_line(run, folder):
    (folder / "typo.py").write_text(COST.replace('["amount"]', '["amuont"]'))
    with pytest.raises(RequestError, match="did you mean 'amount'") as caught:
        benchkit.load(run.folder).with_metrics("cost", plugins=[str(folder / "typo.py")])
    assert "\n" not in str(caught.value)
