"""The tables as pandas reads them, where the files are, and what is said of others."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import train_test_split

import benchkit
from benchkit import DataUnavailableError, Features, digest_data, require_file
from benchkit_tabfs.plugin import benchkit_datasets
from benchkit_tabfs.tables import TABLES, Table, load_table

DECLARED = {dataset.name: dataset for dataset in benchkit_datasets()}


def test_every_table_is_declared_with_its_sum():
    assert set(DECLARED) == {f"tabfs-{name}" for name in TABLES}
    assert all(dataset.files[0].sha256 and dataset.digest for dataset in DECLARED.values())


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_what_pandas_reads(name):
    try:
        data, codes = DECLARED[f"tabfs-{name}"].load(), load_table(name, encoding="codes")
        frame = pd.read_csv(require_file(f"tabfsbench/{name}.csv"))
    except DataUnavailableError as error:
        pytest.skip(str(error))
    assert digest_data(data) == DECLARED[f"tabfs-{name}"].digest
    assert Features(data.X.shape[1], data.groups).n_features == codes.X.shape[1] == frame.shape[1] - 1
    assert list(codes.group_names) == list(data.group_names) == list(frame.columns[:-1])
    for position, column in enumerate(frame.columns[:-1]):
        block = data.X[:, data.groups[position]]
        if pd.api.types.is_numeric_dtype(frame[column]):
            assert np.array_equal(codes.X[:, position], frame[column])
            assert np.array_equal(block[:, 0], frame[column])
            continue
        assert np.array_equal(codes.X[:, position], pd.Categorical(frame[column]).codes)
        if column != TABLES[name].moments:
            assert (block.sum(axis=1) == 1).all()
            assert np.array_equal(block.argmax(axis=1), codes.X[:, position])


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A made-up table of four rows in place of one of theirs; returns a function that writes its file."""
    table = Table(rows=3, columns=4, target="t", labels={"no": -1, "yes": 1}, categories=("when", "c"), moments="when")
    monkeypatch.setitem(TABLES, "heart", table)
    (tmp_path / "tabfsbench").mkdir()
    good = "when,c,n,t\n2011/1/1 0:00,NA,1.5 ,no\n2011/2/10 13:00,b,2,yes\n2012/1/1 5:00,b,-3,no\n"

    def write(old="", new=""):
        (tmp_path / "tabfsbench" / "heart.csv").write_text(good.replace(old, new))

    monkeypatch.setattr("benchkit_tabfs.tables.require_file", lambda name: tmp_path / name)
    return write


def test_text_stands_as_it_is_and_dates_are_numbers(small):
    small()
    data = load_table("heart")
    assert data.feature_names == ["when=year", "when=month", "when=day", "when=hour", "c=NA", "c=b", "n"]
    assert data.X.tolist() == [[2011, 1, 1, 0, 1, 0, 1.5], [2011, 2, 10, 13, 0, 1, 2], [2012, 1, 1, 5, 0, 1, -3]]
    assert data.y.tolist() == [-1, 1, -1]
    assert load_table("heart", encoding="codes").X.tolist() == [[0, 0, 1.5], [1, 1, 2], [2, 1, -3]]
    with pytest.raises(ValueError, match="encoding is 'ordinal', expected 'one-hot' or 'codes'"):
        load_table("heart", encoding="ordinal")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("2011/2/10 13:00,b,2,yes\n", "", "2 rows of 4 columns, expected 3 of 4"),
        ("yes", "maybe", "label 'maybe' in record 2, expected one of 'no', 'yes'"),
        ("-3", "inf", "'inf' in record 3 of n is not a finite number"),
        ("2011/1/1 0:00", "noon", "'noon' in record 1 of when is no date with an hour"),
        ("n,t\n", "n,u\n", "the last column is 'u', expected 't'"),
        ("b,2,yes", "b,2,yes,1,2", "no csv table"),
    ],
)
def test_another_file_is_refused_in_a_line_that_names_it(small, old, new, says):
    small(old, new)
    with pytest.raises(ValueError, match=says) as raised:
        load_table("heart")
    assert "heart.csv" in str(raised.value)
    assert "\n" not in str(raised.value)


# Stumps at a small rate, as the benchmark has them by default; fewer of them.
FEW = {"n_estimators": 60, "learning_rate": 0.1, "max_depth": 1}


def script(path, params):
    """Accuracy and AUC by scenario and degree, of boosted trees."""
    xgboost = pytest.importorskip("xgboost")
    frame = pd.read_csv(path)
    *columns, target = frame.columns
    text = [column for column in frame.columns if not pd.api.types.is_numeric_dtype(frame[column])]
    coded = frame.copy()
    for column in text:
        coded[column] = pd.Categorical(frame[column]).codes
    train, test = train_test_split(coded, test_size=0.2, random_state=42)
    fitted = xgboost.XGBClassifier(**params, n_jobs=1).fit(train[columns].to_numpy(float), train[target])
    strength = coded.corr()[target].drop(target).abs().sort_values()
    orders = {"least": list(strength.index), "most": list(strength.index[::-1])}

    def score(gone):
        shifted = test.copy()
        for column in gone:
            shifted[column] = train[column].mode()[0] if column in text else float(train[column].mean())
        X, truth = shifted[columns].to_numpy(float), test[target]
        return accuracy_score(truth, fitted.predict(X)), roc_auc_score(truth, fitted.predict_proba(X)[:, 1])

    found = {}
    for degree in range(len(columns) + 1):
        for name, order in orders.items():
            found[name, degree] = score(order[:degree])
        found["single", degree] = score(orders["least"][degree - 1 : degree] if degree else [])
    return found


@pytest.fixture
def heart():
    """The path of the table, of eleven columns."""
    try:
        return require_file("tabfsbench/heart.csv")
    except DataUnavailableError as error:
        pytest.skip(str(error))


def test_rows_on_one_of_their_tables_are_the_scripts(heart, tmp_path):
    shifts = ({"label": name, "params": {"scenario": name, "order": "all"}} for name in ("least", "most", "single"))
    suite = {
        "name": "as-the-script",
        "datasets": [{"name": "tabfs-heart", "encoding": "codes"}],
        "split": {"method": "given-seed", "test": 0.2},
        "algorithms": [{"name": "xgboost", "params": FEW}],
        "adversaries": [{"name": "column-shift", **shift, "budgets": [*range(12)]} for shift in shifts],
        "metrics": ["accuracy", "roc_auc"],
    }
    table = benchkit.run(suite, out=tmp_path / "runs", executor="inline").to_pandas()
    assert (table["status"] == "ok").all()
    found = {(row["adversary"], round(row["budget"])): row[["accuracy", "roc_auc"]] for _, row in table.iterrows()}
    expected = script(heart, FEW)
    assert found.keys() == expected.keys()
    for key, numbers in expected.items():
        assert tuple(found[key]) == pytest.approx(numbers, abs=1e-12, rel=0), key
    # The rows differ: a script that shifts nothing would not pass.
    assert len(set(expected.values())) > 5


def test_published_rows_of_the_benchmarks_10_000_stumps_are_the_scripts(heart):
    published = pd.read_parquet(Path(__file__).parents[3] / "results" / "tabfs-table" / "paper" / "records.parquet")
    published = published[(published["dataset"] == "heart-paper") & (published["algorithm"] == "xgboost")]
    assert len(published) == 12
    expected = script(heart, {"n_estimators": 10_000, "learning_rate": 0.01, "max_depth": 1})
    assert published["metrics.roc_auc"].notna().sum() >= 6  # some were made when no area was asked for
    for _, row in published.iterrows():
        accuracy, area = expected[row["adversary"], round(row["budget"])]
        assert row["metrics.accuracy"] == pytest.approx(accuracy, abs=1e-12, rel=0)
        assert math.isnan(row["metrics.roc_auc"]) or row["metrics.roc_auc"] == pytest.approx(area, abs=1e-12, rel=0)
