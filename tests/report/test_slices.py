"""What was predicted, which columns were changed, in which slices rows suffer: of runs with 0 trials more."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.calibration import calibration_curve

import benchkit
from benchkit import Categories, RequestError
from benchkit.document import Fold
from benchkit.report.analysis import Analysis, Settings
from benchkit.report.documents import html
from benchkit.report.metrics_afterwards import NoDataError
from benchkit.report.row_sections import calibration, changed_blocks, mean_roc, predicted
from benchkit.report.slices import MOST_CATEGORIES, SliceError, column_slices

LONG = "how_many_hours_of_sleep_were_had_in_the_week_before_the_first_visit_by_the_patients_own_word"
SUITE = {
    "split": {"repetitions": 3, "train": 100, "test": 0.3},
    "algorithms": ["logistic-regression", "constant"],
    "adversaries": [{"name": "random-delete", "budgets": [0, 1]}],
    "seed": 3,
}


def csv(path, target, *drop):
    return {"name": "csv", "label": path.stem, "params": {"path": str(path), "target": target, "drop": [*drop]}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("slices")


@pytest.fixture(scope="module")
def named(folder):
    rng = np.random.default_rng(0)
    n = 300
    x, sleep, colour = rng.normal(size=n), rng.normal(size=n) + 7, rng.choice(["red", "green", "blue"], n)
    y = np.where(x + 0.3 * (colour == "red") + 0.9 * rng.normal(size=n) > 0, "healthy", "<ill>")
    table = pd.DataFrame({"x": x, LONG: sleep, "colour": colour, "kind": y})
    table.to_csv(folder / "two.csv", index=False)
    table.assign(kind=np.where(x > 1, "more", y)).to_csv(folder / "three.csv", index=False)
    files = [csv(folder / "two.csv", "kind"), csv(folder / "three.csv", "kind")]
    attacks = [{"name": "random-delete", "budgets": [0, 1, 2]}]
    suite = {**SUITE, "name": "named", "datasets": files, "adversaries": attacks}
    return benchkit.run(suite, out=folder / "runs", executor="inline")


def test_confusion_matrices_count_the_rows(named):
    rows = named.rows_to_pandas()
    found = [each for each in predicted(Analysis(named)) if each.grid.dataset == "two"]
    assert [each.place for each in found] == [0, 2]
    for each in found:
        assert each.classes == ["<ill>", "healthy"]
        here = rows[(rows["dataset"] == "two") & (rows["axis_value"] == each.place)]
        here = here[here["algorithm"] == "logistic-regression"]
        expected = metrics.confusion_matrix(here["truth"], here["prediction"])  # by the names of the file
        assert each.confusion["logistic-regression"].tolist() == expected.tolist()
        parts = [part for _, part in here.groupby("repetition")]
        areas = [metrics.roc_auc_score(part["truth"] == "healthy", part["decision"]) for part in parts]
        assert each.roc["logistic-regression"][2] == pytest.approx(np.mean(areas))
        assert each.calibrated["logistic-regression"][:, 2].sum() == len(here)


def test_columns_are_counted_by_their_names(named):
    tables = {
        block.title: block.blocks[0].content for block in changed_blocks(Analysis(named)) if isinstance(block, Fold)
    }
    table = tables["two under random-delete"]
    assert table.columns[1:] == ["1", "2"]
    shares = {str(name): [cell.value for cell in cells] for name, *cells in table.cells}
    assert set(shares) == {"x", LONG, "colour"}  # three one-hot columns are one feature
    changed = [sum(column) for column in zip(*shares.values(), strict=True)]
    assert changed == pytest.approx([1, 2])  # so many features go from each row, none of which is 0
    totals = [sum(row) for row in shares.values()]
    assert totals == sorted(totals, reverse=True)


SCORED = st.lists(st.tuples(st.booleans(), st.integers(0, 12).map(lambda tenth: tenth / 12)), min_size=2, max_size=40)


@given(SCORED)
def test_the_curve_rises_and_its_area_is_scikit_learns(scored):
    positive, scores = np.array([a for a, _ in scored]), np.array([b for _, b in scored])
    assume(positive.any() and not positive.all())
    false, true, area = mean_roc([(positive, scores)])
    assert area == pytest.approx(metrics.roc_auc_score(positive, scores))
    assert (np.diff(true) >= 0).all()
    assert (false[[0, -1]] == [0, 1]).all()
    assert true[-1] == 1


def test_curves_are_averaged_and_scores_are_not():
    positive = np.array([False, False, True, True])
    scores = np.array([1.0, 2.0, 3.0, 4.0])
    assert mean_roc([(positive, scores), (positive, scores - 100)])[2] == 1.0
    assert mean_roc([(positive, scores), (positive, -scores)])[2] == 0.5
    assert mean_roc([(np.array([True, True]), scores[:2])]) is None


@given(SCORED)
def test_calibration_is_scikit_learns(scored):
    positive, chances = np.array([a for a, _ in scored]), np.array([b for _, b in scored])
    # At 1/3 and the like, bins end nowhere near a probability; scikit-learn puts ends into the lower bin.
    chances = np.clip(chances + 1e-3, 0, 1)
    assume(positive.any() and not positive.all())
    found = calibration([(positive[:1], chances[:1]), (positive[1:], chances[1:])])
    observed, predicted = calibration_curve(positive, chances, n_bins=10)
    assert found[:, :2] == pytest.approx(np.column_stack([predicted, observed]))
    assert found[:, 2].sum() == len(scored)


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
def run(folder):
    write(folder / "clinic.csv")
    datasets = [csv(folder / "clinic.csv", "outcome", "region", "amount"), "logistic-toy"]
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


def test_the_numbers_are_those_of_the_rows_and_two_slices_are_one_test(run, folder):
    frame = run.by("region")
    rows = run.rows_to_pandas()
    region = pd.read_csv(folder / "clinic.csv")["region"].to_numpy()
    chosen = rows[(rows["dataset"] == "clinic") & (rows["algorithm"] == "logistic-regression")]
    chosen = chosen[chosen["axis_value"] == 0]
    expected = chosen["loss"].groupby(region[chosen["row"]]).mean()
    found = frame[(frame["algorithm"] == "logistic-regression") & (frame["axis_value"] == 0)]
    assert found.set_index("slice")["mean"].to_dict() == pytest.approx(expected.to_dict())
    assert (found["holm"] >= found["p"]).all()
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
    for asked, reason in ((["regoin"], "no column 'regoin'"), (["region", "--format", "csv"], "--format csv has none")):
        refused = call_benchkit(folder, "report", str(run.folder), "--by", *asked)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert reason in refused.stderr


def test_each_data_set_is_told_by_a_metric_of_its_own_and_slices_of_one_name_are_apart(folder):
    write(folder / "both.csv")
    frame = pd.read_csv(folder / "both.csv")
    frame["region"] = frame["region"].replace({"north": "(missing)", "west": None})
    frame.to_csv(folder / "both.csv", index=False)
    amounts = {**csv(folder / "both.csv", "amount", "region", "outcome"), "name": "csv-regression", "label": "amounts"}
    suite = {**SUITE, "name": "both", "datasets": [csv(folder / "both.csv", "outcome", "region"), amounts]}
    methods = [
        {"name": name, "datasets": [label]} for name, label in (("logistic-regression", "both"), ("lasso", "amounts"))
    ]
    suite |= {"algorithms": methods, "metrics": ["error", "mean-squared-error"]}
    found = benchkit.run(suite, out=folder / "runs", executor="inline").by("region")
    assert set(zip(found["dataset"], found["metric"], strict=True)) == {
        ("both", "error"),
        ("amounts", "mean-squared-error"),
    }
    of_one = found[(found["dataset"] == "both") & (found["axis_value"] == 0)]
    assert (len(of_one), of_one["slice"].nunique(), of_one["holm"].nunique()) == (3, 2, 3)


def test_a_suite_that_leaves_the_split_to_benchkit_is_told_by_a_column(folder):
    write(folder / "plain.csv")
    data = [csv(folder / "plain.csv", "outcome", "region")]
    found = benchkit.run({"name": "plain", "datasets": data, "algorithms": ["constant"]}, out=folder, executor="inline")
    assert set(found.by("region")["slice"]) == {"east", "north", "west"}


def test_a_file_that_has_changed_is_refused(run, folder):
    path = folder / "clinic.csv"
    frame = pd.read_csv(path)
    fewer, turned = (frame.iloc[:-5], "it had 360 rows and has 355"), (frame.iloc[::-1], "its rows have other labels")
    for changed, reason in (fewer, turned, (None, "clinic.* does not load")):
        path.unlink() if changed is None else changed.to_csv(path, index=False)
        with pytest.raises(SliceError, match=reason):
            run.by("region")
    write(path)
    assert issubclass(NoDataError, RequestError)


def test_groups_of_the_split_are_counted(folder):
    write(folder / "visits.csv")
    frame = pd.read_csv(folder / "visits.csv").assign(patient=lambda table: np.arange(len(table)) // 6)
    frame.to_csv(folder / "visits.csv", index=False)
    suite = {**SUITE, "name": "visits", "adversaries": []}
    suite["datasets"] = [csv(folder / "visits.csv", "outcome", "region", "amount", "patient")]
    suite["split"] = {"repetitions": 3, "train": 0.5, "test": 0.3, "groups": "patient"}
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


def test_a_metric_that_reads_a_column_follows_from_rows_where_it_is_there(run, folder, write_plugin):
    plugins = (str(write_plugin(COST)),)
    found = benchkit.load(run.folder).with_metrics("cost", plugins=plugins)
    rows = run.rows_to_pandas().query("dataset == 'clinic'")
    rows["cost"] = rows["loss"] * pd.read_csv(folder / "clinic.csv")["amount"].to_numpy()[rows["row"]]
    expected = rows.groupby("trial")["cost"].mean()
    values = {row["trial"]: row["metrics"]["cost"] for row in found.rows if row["dataset"] == "clinic"}
    assert values == pytest.approx(expected.to_dict())
    sliced, _ = Analysis(found, Settings(metrics=("cost",), by="x", plugins=plugins)).slices
    assert sliced[0].grid.metric == "cost"
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


def test_numbers_are_quarters_and_rare_categories_are_one_slice():
    assert [each.name for each in column_slices(np.array([10001.0, 10002.0, np.nan]))] == [
        "10001",
        "10002",
        "(missing)",
    ]
    slices = column_slices(np.arange(100.0))
    assert [each.name for each in slices] == ["at most 25", "25 to 50", "50 to 74", "above 74"]
    assert [int(each.rows.sum()) for each in slices] == [26, 25, 24, 25]
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
