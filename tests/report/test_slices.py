"""Columns of the data, of runs with 0 trials more: in which slices rows suffer, and metrics that read columns."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchkit
from benchkit import Categories, RequestError
from benchkit.report.analysis import Analysis, Settings
from benchkit.report.documents import html
from benchkit.report.metrics_afterwards import NoDataError
from benchkit.report.slices import MOST_CATEGORIES, SliceError, column_slices

SUITE = {
    "split": {"repetitions": 3, "train": 100, "test": 0.3},
    "algorithms": ["logistic-regression", "constant"],
    "adversaries": [{"name": "random-delete", "budgets": [0, 1]}],
    "seed": 3,
}


def write(path, n=360):
    """In the north labels are coins; elsewhere they follow from x."""
    rng = np.random.default_rng(0)
    region = rng.choice(["east", "north", "west"], n, p=[0.4, 0.3, 0.3])
    x = rng.normal(size=n)
    sure = np.where(region == "north", rng.random(n) < 0.5, x > 0)
    frame = {"x": x, "colour": rng.choice(["red", "blue"], n), "age": rng.integers(20, 80, n), "region": region}
    frame |= {"outcome": np.where(sure, "well", "ill"), "amount": rng.lognormal(5, 1, n).round(2)}
    pd.DataFrame(frame).to_csv(path, index=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("slices")


@pytest.fixture(scope="module")
def run(folder):
    write(folder / "clinic.csv")
    params = {"path": str(folder / "clinic.csv"), "target": "outcome", "drop": ["region", "amount"]}
    datasets = [{"name": "csv", "label": "clinic", "params": params}, "logistic-toy"]
    suite = {**SUITE, "name": "clinic", "datasets": datasets}
    return benchkit.run(suite, out=folder / "runs", executor="inline")


def test_the_slice_that_suffers_is_named(run):
    analysis = Analysis(run, Settings(by="region"))
    found, remarks = analysis.slices
    assert [each.where for each in found] == ["clinic under random-delete at 0", "clinic under random-delete at 1"]
    assert found[0].answer.startswith("clinic under random-delete at 0: logistic-regression is wrong on ")
    assert "rows with region = north" in found[0].answer
    assert ": significant (p " in found[0].answer
    assert len(remarks) == 1
    assert "logistic-toy is generated anew" in remarks[0]


def test_the_numbers_are_those_of_the_rows(run, folder):
    frame = run.by("region")
    rows = run.rows_to_pandas()
    region = pd.read_csv(folder / "clinic.csv")["region"].to_numpy()
    chosen = rows[(rows["dataset"] == "clinic") & (rows["algorithm"] == "logistic-regression")]
    chosen = chosen[chosen["axis_value"] == 0]
    expected = chosen["loss"].groupby(region[chosen["row"]]).mean()
    found = frame[(frame["algorithm"] == "logistic-regression") & (frame["axis_value"] == 0)]
    assert found.set_index("slice")["mean"].to_dict() == pytest.approx(expected.to_dict())
    assert (found["holm"] >= found["p"]).all()


def test_two_slices_are_one_test(run):
    frame = run.by("colour")
    pairs = frame.groupby(["axis_value", "algorithm"])["holm"]
    assert (pairs.nunique() == 1).all()
    one = frame[(frame["axis_value"] == 0) & (frame["slice"] == "red")]
    assert one["holm"].min() == pytest.approx(min(1, 2 * one["p"].min()))  # two methods, not four differences


def test_what_cannot_be_told_is_told_in_a_line(run, folder, call_benchkit):
    with pytest.raises(SliceError, match="no column 'regoin'; did you mean 'region'"):
        run.by("regoin")
    with pytest.raises(SliceError, match="f1: no value of each row.* --metrics error"):
        run.with_metrics("f1").by("region", "f1")
    refused = call_benchkit(folder, "report", str(run.folder), "--by", "regoin")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    refused = call_benchkit(folder, "report", str(run.folder), "--by", "region", "--format", "csv")
    assert refused.returncode == 2
    assert "--format csv has none" in refused.stderr


def test_a_file_that_has_changed_is_refused(run, folder):
    path = folder / "clinic.csv"
    before = path.read_text()
    try:
        frame = pd.read_csv(path)
        frame.iloc[:-5].to_csv(path, index=False)
        with pytest.raises(SliceError, match="it had 360 rows and has 355"):
            run.by("region")
        frame.iloc[::-1].to_csv(path, index=False)
        with pytest.raises(SliceError, match="its rows have other labels now"):
            run.by("region")
        path.unlink()
        with pytest.raises(SliceError, match="clinic.* does not load"):
            run.by("region")
    finally:
        path.write_text(before)
    assert issubclass(NoDataError, RequestError)


def test_groups_of_the_split_are_counted(folder):
    write(folder / "visits.csv")
    frame = pd.read_csv(folder / "visits.csv").assign(patient=lambda table: np.arange(len(table)) // 6)
    frame.to_csv(folder / "visits.csv", index=False)
    params = {"path": str(folder / "visits.csv"), "target": "outcome", "drop": ["region", "amount", "patient"]}
    suite = {
        "name": "visits",
        "datasets": [{"name": "csv", "label": "visits", "params": params}],
        "split": {"repetitions": 3, "train": 0.5, "test": 0.3, "groups": "patient"},
        "algorithms": ["constant", "logistic-regression"],
        "seed": 3,
    }
    found = benchkit.run(suite, out=folder / "runs", executor="inline")
    rows = found.rows_to_pandas()
    tested = frame.loc[rows["row"].unique()]
    told = found.by("region").groupby("slice")[["rows", "groups"]].first()
    assert told["rows"].to_dict() == tested.groupby("region").size().to_dict()
    assert told["groups"].to_dict() == tested.groupby("region")["patient"].nunique().to_dict()
    (sliced,) = Analysis(found, Settings(by="region")).slices[0]
    page = html(Analysis(found, Settings(by="region")))
    assert "speak of new groups, and count each once" in page
    assert "speak of new rows" not in page
    assert all(entry.mean.groups for entry in sliced.entries)


COST = """
import numpy as np
from benchkit import Metric, hookimpl

def lost(evaluation):
    return np.where(evaluation.predictions != evaluation.y, evaluation.columns["amount"], 0.0)

@hookimpl
def benchkit_metrics():
    mean = lambda evaluation: float(lost(evaluation).mean())
    return [Metric(name="cost", compute=mean, row_values=lost, needs="losses", columns=["amount"])]
"""


def test_a_metric_that_reads_a_column_follows_from_rows(run, folder, write_plugin):
    plugins = (str(write_plugin(COST)),)
    found = benchkit.load(run.folder).with_metrics("cost", plugins=plugins)
    rows = run.rows_to_pandas().query("dataset == 'clinic'")
    rows["cost"] = rows["loss"] * pd.read_csv(folder / "clinic.csv")["amount"].to_numpy()[rows["row"]]
    expected = rows.groupby("trial")["cost"].mean()
    values = {row["trial"]: row["metrics"]["cost"] for row in found.rows if row["dataset"] == "clinic"}
    assert values == pytest.approx(expected.to_dict())
    sliced, _ = Analysis(found, Settings(metrics=("cost",), by="x", plugins=plugins)).slices
    assert sliced[0].grid.metric == "cost"


def test_a_column_that_is_not_there_is_refused_in_a_line(run, write_plugin):
    plugin = write_plugin(COST.replace('["amount"])', '["amuont"])'))
    with pytest.raises(RequestError, match="did you mean 'amount'") as caught:
        benchkit.load(run.folder).with_metrics("cost", plugins=[str(plugin)])
    assert "\n" not in str(caught.value)


@given(
    st.one_of(
        st.lists(st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6)), min_size=1, max_size=60).map(np.array),
        st.lists(st.integers(0, 9), min_size=1, max_size=60).map(np.array),
        st.lists(st.sampled_from(["a", "b", None, *"cdefghijklmnopq"]), min_size=1, max_size=60).map(Categories.of),
    )
)
def test_each_row_is_in_one(column):
    n = len(column.codes if isinstance(column, Categories) else column)
    slices = column_slices(column)
    assert (sum(each.rows.astype(int) for each in slices) == 1).all()
    assert all(len(each.rows) == n for each in slices)
    assert len({each.name for each in slices}) == len(slices) <= MOST_CATEGORIES + 2


def test_numbers_are_quarters():
    slices = column_slices(np.arange(100.0))
    assert [each.name for each in slices] == ["at most 25", "25 to 50", "50 to 74", "above 74"]
    assert [int(each.rows.sum()) for each in slices] == [26, 25, 24, 25]


def test_rare_categories_are_one_slice():
    texts = [name for place, name in enumerate("abcdefghijklmnop") for _ in range(20 - place)]
    slices = column_slices(Categories.of(texts))
    assert [each.name for each in slices] == [*"abcdefghijkl", "(4 others)"]
    assert slices[-1].rows.sum() == sum(range(5, 9))


@pytest.mark.parametrize("make", [np.array, lambda days: Categories.of(days.astype(str).tolist())])
def test_moments_are_quarters(make):
    days = np.datetime64("2024-01-01") + np.arange(40)
    slices = column_slices(make(days.astype("datetime64[s]") if make is np.array else days))
    assert slices[0].name == "at most 2024-01-11"
    assert len(slices) == 4
