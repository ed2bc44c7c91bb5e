"""Columns are read in blocks, and are what csv and pandas make of the whole text."""

import csv
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchkit_datasets.own.csv_columns as csv_columns
import benchkit_datasets.own.csv_file as csv_file
from benchkit.data.table import MISSING
from benchkit_datasets.own.csv_columns import read_columns, read_rows
from benchkit_datasets.own.csv_file import load_csv, load_csv_regression
from benchkit_datasets.own.parquet_file import load_parquet

FIELDS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.4f}"),
    st.integers(-(10**14), 10**14).map(str),
    st.sampled_from(
        [*MISSING, "1e5", "+1", ".5", "5.", "-", "1.2.3", "2020-01-01", "inf", "1,5", "0x1", "1_0", "True"]
    ),
    st.text("ab é\u00a0", max_size=4),
)


def whole(text):
    """Each column at once."""
    rows = [[field.strip() for field in row] for row in csv.reader(StringIO(text), skipinitialspace=True) if row]
    for fields in zip(*rows, strict=True):
        texts = pd.Series([None if field in MISSING else field for field in fields], dtype=object)
        numbers = pd.to_numeric(texts, errors="coerce").astype("float64")
        yield numbers if numbers.notna().equals(texts.notna()) else texts


@given(st.lists(st.lists(FIELDS, min_size=2, max_size=2), min_size=1, max_size=12), st.booleans(), st.booleans())
def test_columns_are_those_of_csv_and_pandas(rows, quoted, small):
    content = StringIO()
    csv.writer(content, lineterminator="\n", quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL).writerows(rows)
    text = content.getvalue()
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr(csv_columns, "_BLOCK_BYTES", 200)
            patch.setattr(csv_columns, "_BLOCK_ROWS", 2)
        read = read_columns(text, ",", Path("a.csv"), 2, named=False, decimal=".", missing=MISSING)
    for column, expected in zip(read, whole(text), strict=True):
        pd.testing.assert_series_equal(pd.Series(column), expected, check_exact=True)


def test_a_text_far_below_numbers_makes_texts_of_them(monkeypatch):
    monkeypatch.setattr(csv_columns, "_BLOCK_BYTES", 64)
    text = "a,b\n" + "1,2\n" * 100 + "x,3\n"
    first, second = read_columns(text, ",", Path("a.csv"), 2, named=True, decimal=".", missing=MISSING)
    assert list(first) == ["1"] * 100 + ["x"]
    assert second.tolist() == [2.0] * 100 + [3.0]


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
    monkeypatch.setattr(csv_file, "read_columns", lambda *given: read.append(given) or read_columns(*given))
    for left_out in ([], ["x"], ["row"]):
        load_csv(str(table / "t.csv"), target="y", rows=40, drop=left_out)
    assert len(read) == 1


def test_rows_of_a_text_are_read_a_block_at_a_time(monkeypatch):
    """All of it as one more text would take four times its room."""
    blocks = []
    monkeypatch.setattr(csv_columns, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(csv_columns, "StringIO", lambda text: blocks.append(len(text)) or StringIO(text))
    assert list(read_rows("1,2\n" * 200, ",", Path("a.csv"))) == [["1", "2"]] * 200
    assert max(blocks) <= 68


def test_a_text_is_read_in_pieces_without_a_copy_of_it(monkeypatch, tmp_path):
    """An object of all of its letters took four times its room; letters of several bytes lie across the pieces."""
    rows = [f"{place},é{place % 7}ñ,{place / 8}" for place in range(500)]
    text = "a,b,c\n" + "\n".join(rows) + "\n"
    monkeypatch.setattr(csv_columns, "_BLOCK_BYTES", 64)
    lines = list(csv_columns._lines(text))
    assert "".join(lines) == text
    assert lines == text.splitlines(keepends=True)
    numbers, words, eighths = csv_columns.read_columns(text, ",", tmp_path, 3, True, ".", MISSING)
    assert numbers.tolist() == list(range(500))
    assert list(words) == [f"é{place % 7}ñ" for place in range(500)]
    assert eighths.tolist() == [place / 8 for place in range(500)]
    source = csv_columns._Encoded(text, 0)
    pieces = list(iter(lambda: source.read(10), b""))
    assert b"".join(pieces) == text.encode()
    assert max(map(len, pieces)) <= 10
