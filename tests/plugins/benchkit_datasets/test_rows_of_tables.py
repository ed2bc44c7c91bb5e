"""A part of a large table's rows: the same ones each time, and read once."""

import numpy as np
import pandas as pd
import pytest

import benchkit_datasets.own.csv_file as csv_file
from benchkit import read_table
from benchkit_datasets.own.csv_file import load_csv, load_csv_regression
from benchkit_datasets.own.parquet_file import load_parquet


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"row": np.arange(500.0), "x": rng.normal(size=500).round(3), "y": rng.choice(["a", "b"], 500)}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    return tmp_path


@pytest.mark.parametrize(("load", "file"), [(load_csv, "t.csv"), (load_parquet, "t.parquet")])
def test_rows_draws_the_same_ones_each_time(table, load, file):
    whole = load(str(table / file), target="y")
    part = load(str(table / file), target="y", rows=40)
    drawn = part.X[:, 0].astype(int)
    assert len(set(drawn)) == 40
    assert (np.diff(drawn) > 0).all()
    assert drawn.max() > 100
    np.testing.assert_array_equal(part.X, whole.X[drawn])
    np.testing.assert_array_equal(part.y, whole.y[drawn])
    np.testing.assert_array_equal(load(str(table / file), target="y", rows=40, drop=["x"]).X[:, 0], drawn)
    assert load(str(table / file), target="y", rows=501).X.shape == (500, 2)


def test_rows_is_a_whole_number(table):
    with pytest.raises(ValueError, match="rows is 0, expected a whole number of at least 1"):
        load_csv_regression(str(table / "t.csv"), target="x", rows=0)
    load_csv(str(table / "t.csv"), target="y", rows=1 + 1)
    with pytest.raises(ValueError, match="rows is True"):
        load_csv(str(table / "t.csv"), target="y", rows=True)


def test_a_sample_is_of_the_file_as_it_is_now(table):
    file = table / "t.csv"
    load_csv(str(file), target="y", rows=40)
    file.write_text(file.read_text().replace("row,", "place,"))
    assert load_csv(str(file), target="y", rows=40).feature_names[0] == "place"


def test_a_sample_is_read_once_whichever_columns_are_left_out(table, monkeypatch):
    """Who looks at a large table leaves out one column after the other."""
    read = []
    monkeypatch.setattr(csv_file, "read_table", lambda *args, **given: read.append(args) or read_table(*args, **given))
    for left_out in ([], ["x"], ["row"]):
        load_csv(str(table / "t.csv"), target="y", rows=40, drop=left_out)
    assert len(read) == 1
